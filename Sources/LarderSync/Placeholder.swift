// LarderSync
