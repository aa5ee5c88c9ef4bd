internal import HTTPTypes

extension HTTPResponse {
    /// Returns the length of the body that the head announces; nil where it announces none that the body must have.
    func announcedLength(to method: HTTPRequest.Method) -> Int64? {
        let hasBody = method != .head && status != .noContent && status != .notModified
        guard hasBody, headerFields[.transferEncoding] == nil else { return nil }
        // A length that is repeated or no number is left to the transport. RFC 9110 §8.6.
        let values = headerFields[values: .contentLength]
        guard values.count == 1, let text = values.first, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
