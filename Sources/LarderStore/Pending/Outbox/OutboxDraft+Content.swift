internal import LarderFormat

extension OutboxDraft {
    /// Throws what keeps body and header fields from being stored.
    func checkContent(without credentials: CredentialFields) throws(FormatError) {
        try Limits.check(payload: payload.count)
        if fields.contains(where: { credentials.contains($0.name) }) { throw .credentialField }
    }
}
