import LarderStore

extension ReadView {
    /// Returns the server of a kind of content; nil also where the record is damaged, which `verify` reports.
    borrowing func readableServer(of content: ServerContent) throws -> String? {
        do { return try server(of: content) } catch StoreError.damaged { return nil }
    }

    /// Returns the account that the content belongs to; nil also where the record is damaged.
    borrowing func readableAccount() throws -> String? {
        do { return try contentAccount() } catch StoreError.damaged { return nil }
    }
}
