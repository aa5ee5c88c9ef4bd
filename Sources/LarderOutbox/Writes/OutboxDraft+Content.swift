internal import HTTPTypes
internal import LarderFormat
internal import LarderStore

extension OutboxDraft {
    /// Sets the body.
    mutating func setBody(_ body: OutboxWrite.Body) {
        payload = []
        blob = nil
        switch body {
        case .none: break
        case .bytes(let bytes): payload = bytes
        case .blob(let named): blob = named
        }
    }

    /// Sets the header fields.
    ///
    /// - Throws: ``OutboxError/credentialField(_:)`` for a field that carries credentials.
    mutating func setFields(_ fields: HTTPFields, without credentials: CredentialFields) throws(OutboxError) {
        for name in fields.map(\.name) where credentials.contains(name.canonicalName) {
            throw .credentialField(name.rawName)
        }
        self.fields = fields.map { HeaderField(name: $0.name.rawName, value: Array($0.value.utf8)) }
    }

    /// The length of its body in bytes, inline or as a blob.
    var bodyBytes: Int64 { Int64(payload.count) + (blob?.byteCount ?? 0) }

    /// Returns a checksum of method, endpoint and body, each delimited from the next.
    ///
    /// - Parameter content: a checksum of the bytes of a blob body; without it, each blob counts as another body.
    func contentFingerprint(_ content: UInt64? = nil) -> UInt64 {
        var writer = TupleWriter()
        writer.append(text: method)
        writer.append(text: endpoint)
        writer.append(bytes: payload)
        if let blob, let content {
            writer.append(integer: blob.byteCount)
            writer.append(integer: Int64(bitPattern: content))
        } else {
            // Without a checksum, each blob counts as another body.
            if let blob { writer.append(integer: blob.number) } else { writer.appendNull() }
        }
        return writer.bytes.rawSpan.xxh64(seed: 0)
    }
}
