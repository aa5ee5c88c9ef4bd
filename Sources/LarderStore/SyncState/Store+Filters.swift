extension Store {
    /// Removes a filter with its token and memberships, and withdraws the resources that no other filter holds.
    ///
    /// Nothing happens when there is none of that text.
    ///
    /// - Throws: as ``write(durability:_:)``.
    public func removeFilter(_ canonicalText: String) async throws {
        try await write { transaction in try transaction.removeFilter(canonicalText) }
    }
}
