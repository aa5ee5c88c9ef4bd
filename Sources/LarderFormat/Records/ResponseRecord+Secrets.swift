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
    ///
    /// Where they select the response, their value has to be a keyed hash; one that cannot be is left empty, and selects
    /// for nobody.
    package func withoutSecrets() -> ResponseRecord {
        var record = self
        if fields.contains(where: { Self.isSecret($0.name) }) { record.fields.removeAll { Self.isSecret($0.name) } }
        for index in selecting.indices where Self.isSecret(selecting[index].name) {
            guard let value = selecting[index].value, !Self.isHash(value) else { continue }
            record.selecting[index].value = ""
        }
        return record
    }

    /// Whether a text is 32 hexadecimal digits in lower case.
    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
