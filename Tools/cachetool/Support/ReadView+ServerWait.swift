import LarderStore
import LarderTransport

extension ReadView {
    /// Returns the end of the wait that the server of a kind of content requested; nil when there is none, and where
    /// the server is identified by a name instead of its address.
    borrowing func serverWait(for content: ServerContent, now: Int64) throws -> Int64? {
        guard let server = try readableServer(of: content), let base = BaseURL(server) else { return nil }
        return try serverWait(of: base.origin, at: now)?.until
    }
}
