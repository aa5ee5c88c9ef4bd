/// The bytes read of a response's body.
package struct ResponseContent {
    /// The number of bytes kept of a body that is not kept whole.
    package static let prefixLength = 4096
    /// The whole body; nil where it was too long, or broke off.
    package private(set) var body: [UInt8]?
    /// The beginning of the body, also when the rest is missing; the whole body when it was kept.
    package private(set) var prefix: [UInt8] = []
    /// The error that ended the body too early.
    package private(set) var error: TransportError?

    /// Reads a body to its end, or until it is longer than `limit` bytes.
    package init(reading source: TransportBody, upTo limit: Int) async {
        precondition(limit >= 0, "a limit of \(limit) bytes")
        var bytes: [UInt8] = []
        let chunks = source.makeAsyncIterator()
        do throws(TransportError) {
            while bytes.count <= max(limit, Self.prefixLength), let chunk = try await chunks.next() {
                bytes.append(contentsOf: chunk)
            }
            if bytes.count <= limit { body = bytes }
        } catch .bodyTooLarge {
            body = nil
        } catch {
            self.error = error
        }
        prefix = body ?? Array(bytes.prefix(Self.prefixLength))
    }
}
