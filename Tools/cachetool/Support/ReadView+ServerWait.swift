import LarderStore
import LarderTransport

extension ReadView {
    /// Until when the server of a kind of content asked to be left alone; nil while it may be asked, and where the server goes by a
    /// name instead of its address.
    borrowing func serverWait(for content: ServerContent, now: Int64) throws -> Int64? {
        guard let server = try server(of: content), let base = BaseURL(server) else { return nil }
        return try serverWait(of: base.origin, at: now)?.until
    }
}
