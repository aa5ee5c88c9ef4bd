extension Store {
    /// Removes a filter with its token and memberships, and withdraws the resources that no other filter holds.
    ///
    /// Does nothing when no filter has that text.
    ///
    /// - Throws: as ``write(durability:_:)``.
    public func removeFilter(_ canonicalText: String) async throws {
        try await write { transaction in try transaction.removeFilter(canonicalText) }
    }
}
