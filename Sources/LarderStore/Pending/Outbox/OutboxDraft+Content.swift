internal import LarderFormat
internal import LarderJSON

extension OutboxDraft {
    /// Throws the reason that keeps body or header fields from being stored.
    func checkContent(without credentials: CredentialFields) throws(FormatError) {
        try Limits.check(payload: payload.count)
        if fields.contains(where: { credentials.contains($0.name) }) { throw .credentialField }
    }

    /// Whether a batch can carry it without loss: a body of JSON other than `null` or none, and no header field but its
    /// type.
    var fitsBatch: Bool {
        guard blob == nil, payload != Array("null".utf8),
            fields.allSatisfy({ $0.name.lowercased() == "content-type" })
        else { return false }
        return payload.isEmpty || JSONText.isValue(payload.rawSpan.bytes)
    }
}
