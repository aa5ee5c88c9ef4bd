// LarderTransportTests
