// LarderServerTests
