internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks that every record of `blobs` verifies.
    func verifyBlobs(_ snapshot: borrowing ReadTransaction) throws {
        try walk(.blobs, snapshot) { entry in
            _ = try record(of: entry, .blobs, at: Self.bytes(entry.key)) { (_) throws(FormatError) in true }
        }
    }
}
