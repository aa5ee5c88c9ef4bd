// LarderTransport
