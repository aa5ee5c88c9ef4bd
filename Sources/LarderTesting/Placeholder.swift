// LarderTesting
