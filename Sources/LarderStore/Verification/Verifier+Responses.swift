internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks that every record of `responses` verifies.
    func verifyResponses(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.responses, snapshot) { entry in
            _ = try record(of: entry, .responses, at: Self.bytes(entry.key)) { (_) throws(FormatError) in true }
        }
    }
}
