extension ServerPath {
    /// Returns a path from the server's response to a request of the given kind.
    ///
    /// - Throws: ``SyncError/wire(_:request:)`` for a path that must not be requested.
    static func parse(_ text: String, _ kind: SyncError.RequestKind) throws(SyncError) -> ServerPath {
        do throws(WireError) {
            return try ServerPath(text)
        } catch {
            throw .wire(error, request: kind)
        }
    }
}
