extension ResponseRecord {
    /// Whether a header field of this name carries credentials or cookies, which never reach the medium.
    package static func isSecret(_ name: String) -> Bool {
        secretNames.contains(name.lowercased())
    }

    private static let secretNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
        "authentication-info", "proxy-authentication-info",
    ]

    /// The record without the fields that carry credentials or cookies.
    package func withoutSecrets() -> ResponseRecord {
        guard fields.contains(where: { Self.isSecret($0.name) }) else { return self }
        var record = self
        record.fields.removeAll { Self.isSecret($0.name) }
        return record
    }
}
