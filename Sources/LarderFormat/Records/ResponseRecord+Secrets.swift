extension ResponseRecord {
    /// Whether a header field of this name carries credentials or cookies, which never reach the medium.
    ///
    /// Told by the words of the name, as each service and gateway has names of its own. FORMAT.md, "responses". A host adds
    /// what no word tells to the configuration of its cache and its outbox.
    package static func isSecret(_ name: String) -> Bool {
        let name = Array(name.lowercased().utf8)
        if plainBeginnings.contains(where: { name.starts(with: $0) }) { return false }
        if secretNames.contains(name) { return true }
        var words = name.split { !isLetterOrDigit($0) }
        if let last = words.last, let ending = nameEndings.first(where: { last.suffix($0.count).elementsEqual($0) }) {
            let rest = last.dropLast(ending.count)
            let before = rest.isEmpty ? words.dropLast().last ?? [] : rest
            if plainNames.contains(where: { $0.elementsEqual(before) }) { words.removeLast() } else { return true }
        }
        return words.contains { word in
            secretWords.contains { $0.elementsEqual(word) } || secretParts.contains { holds(word, $0) }
        }
    }

    /// What no word tells.
    private static let secretNames = bytes("x-honeycomb-team")
    /// What makes a name secret as a part of any of its words.
    private static let secretParts = bytes(
        "token", "secret", "passw", "passphrase", "passcode", "apikey", "credential", "authoriz", "authoris",
        "authentication", "oauth", "session", "cookie", "signature", "bearer", "jwt", "csrf", "xsrf", "assertion",
        "nonce")
    /// What makes a name secret as one of its words.
    private static let secretWords = bytes(
        "auth", "oidc", "saml", "dpop", "pwd", "otp", "sid", "hmac", "principal", "appcheck")
    /// What a last word ends in that is secret unless it names a thing: what `plainNames` has before it does.
    private static let nameEndings = bytes("key", "keys", "token", "auth")
    private static let plainNames = bytes(
        "idempotency", "deduplication", "cache", "surrogate", "partition", "routing", "variant", "public", "lock",
        "page",
        "next", "continuation", "sync")
    /// What names begin with that say something of content or of rights, and carry none.
    private static let plainBeginnings = bytes("content-", "access-control-")

    private static func bytes(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func holds(_ word: ArraySlice<UInt8>, _ part: [UInt8]) -> Bool {
        guard word.count >= part.count else { return false }
        return (word.startIndex...word.endIndex - part.count).contains { word[$0...].starts(with: part) }
    }

    /// The names that standards define, in lower case. A store never had a field of these.
    package static let standardSecretNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
        "authentication-info", "proxy-authentication-info",
    ]

    /// The record without the fields that carry credentials or cookies.
    ///
    /// Where they select the response, their value has to be a keyed hash; one that cannot be is left empty, and selects
    /// for nobody.
    package func withoutSecrets() -> ResponseRecord {
        var record = self
        record.fields.removeAll { Self.isSecret($0.name) }
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
