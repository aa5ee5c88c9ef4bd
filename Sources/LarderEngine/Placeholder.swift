// LarderEngine
