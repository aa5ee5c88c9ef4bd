internal import LarderFormat

extension OutboxDraft {
    /// Throws what keeps body and header fields from being stored.
    func checkContent() throws(FormatError) {
        try Limits.check(payload: payload.count)
        if fields.contains(where: { ResponseRecord.isSecret($0.name) }) { throw .credentialField }
    }
}
