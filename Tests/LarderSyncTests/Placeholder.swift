// LarderSyncTests
