// LarderFormatTests
