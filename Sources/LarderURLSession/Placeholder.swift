// LarderURLSession
