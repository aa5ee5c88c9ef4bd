internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks that every record of `collections` verifies.
    func verifyCollections(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.collections, snapshot) { entry in
            _ = try record(of: entry, .collections, at: Self.bytes(entry.key)) { (_) throws(FormatError) in true }
        }
    }
}
