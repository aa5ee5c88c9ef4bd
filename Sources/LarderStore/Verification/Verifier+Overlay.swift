internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks that every record of `overlay` verifies.
    func verifyOverlay(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.overlay, snapshot) { entry in
            _ = try record(of: entry, .overlay, at: Self.bytes(entry.key)) { (_) throws(FormatError) in true }
        }
    }
}
