// LarderEngineTests
