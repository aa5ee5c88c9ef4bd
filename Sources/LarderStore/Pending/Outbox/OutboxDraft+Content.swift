internal import LarderFormat
internal import LarderJSON

extension OutboxDraft {
    /// Throws what keeps body and header fields from being stored.
    func checkContent(without credentials: CredentialFields) throws(FormatError) {
        try Limits.check(payload: payload.count)
        if fields.contains(where: { credentials.contains($0.name) }) { throw .credentialField }
    }

    /// Whether a batch carries all that it says: a body of JSON or none, and no header field but its type.
    var fitsBatch: Bool {
        guard blob == nil, payload != Array("null".utf8),
            fields.allSatisfy({ $0.name.lowercased() == "content-type" })
        else { return false }
        return payload.isEmpty || JSONText.isValue(payload.span)
    }
}
