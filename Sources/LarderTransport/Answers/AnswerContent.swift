/// The bytes read of an answer's body.
package struct AnswerContent {
    /// How many bytes of a body that is not kept are looked at.
    package static let beginningLength = 4096
    /// All of it; nil where it was too long, or broke off.
    package private(set) var body: [UInt8]?
    /// How it begins, whatever became of the rest.
    package private(set) var beginning: [UInt8] = []
    /// What ended it too early.
    package private(set) var error: TransportError?

    /// Reads a body to its end, or until it is longer than `limit` bytes.
    package init(reading source: TransportBody, upTo limit: Int) async {
        precondition(limit >= 0, "a limit of \(limit) bytes")
        var bytes: [UInt8] = []
        let chunks = source.makeAsyncIterator()
        do throws(TransportError) {
            while bytes.count <= max(limit, Self.beginningLength), let chunk = try await chunks.next() {
                bytes.append(contentsOf: chunk)
            }
            if bytes.count <= limit { body = bytes }
        } catch .bodyTooLarge {
            body = nil
        } catch {
            self.error = error
        }
        beginning = body ?? Array(bytes.prefix(Self.beginningLength))
    }
}
