internal import HTTPTypes

extension HTTPResponse {
    /// The length of the body as the head announces it, or nil where the head announces none that the body must have.
    func announcedLength(to method: HTTPRequest.Method) -> Int64? {
        let hasBody = method != .head && status != .noContent && status != .notModified
        guard hasBody, headerFields[.transferEncoding] == nil else { return nil }
        // Repeated with one value, or not a number: RFC 9110 §8.6 leaves it to the transport.
        let values = headerFields[values: .contentLength]
        guard values.count == 1, let text = values.first, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
