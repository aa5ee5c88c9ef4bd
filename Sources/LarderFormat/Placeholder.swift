// LarderFormat
