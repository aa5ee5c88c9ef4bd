extension ServerPath {
    /// Takes a path from the server, as part of an answer to a request of a kind.
    static func of(_ text: String, _ kind: SyncError.RequestKind) throws(SyncError) -> ServerPath {
        do throws(WireError) {
            return try ServerPath(text)
        } catch {
            throw .wire(error, request: kind)
        }
    }
}
