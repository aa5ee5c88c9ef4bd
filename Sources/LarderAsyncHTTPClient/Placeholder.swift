// LarderAsyncHTTPClient
