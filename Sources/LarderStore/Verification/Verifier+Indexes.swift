internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks that every record of `indexes` verifies.
    func verifyIndexes(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.indexes, snapshot) { entry in
            _ = try record(of: entry, .indexes, at: Self.bytes(entry.key)) { (_) throws(FormatError) in true }
        }
    }
}
