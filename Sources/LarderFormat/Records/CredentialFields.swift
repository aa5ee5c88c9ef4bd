/// The header fields that carry credentials or cookies, which are never stored, recognised by the words of their names.
///
/// Services and gateways use names of their own, so the words decide (docs/internals/store.md). An app lists the fields
/// that the words classify wrongly:
///
/// ```swift
/// options.credentialFields = CredentialFields(secret: ["X-Vendor"], plain: ["X-Part-Key"])
/// ```
public struct CredentialFields: Hashable, Sendable {
    private let secret: Set<String>
    private let plain: Set<String>

    /// Classifies fields by their words, except for the fields of these names, in any case.
    ///
    /// - Parameters:
    ///   - secret: fields that carry credentials.
    ///   - plain: fields that carry none. Names that standards define, such as `Authorization` and `Cookie`, are
    ///     removed from it.
    public init(secret: Set<String> = [], plain: Set<String> = []) {
        self.secret = Set(secret.map { $0.lowercased() })
        self.plain = Set(plain.map { $0.lowercased() }).subtracting(Self.standardNames)
    }

    /// Whether a header field of this name, in any case, carries credentials or cookies.
    public func contains(_ name: String) -> Bool {
        let name = name.lowercased()
        return secret.contains(name) || !plain.contains(name) && Self.isSecret(name)
    }

    /// The names that standards define, in lower case. No store has fields of these names.
    package static let standardNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
        "authentication-info", "proxy-authentication-info",
    ]
}

// The words, in lower case.
extension CredentialFields {
    /// Whether the words of a name, which is in lower case, make its field secret.
    ///
    /// Words are compared as bytes: caches classify names for every answer, and characters are a hundred times as slow.
    private static func isSecret(_ name: String) -> Bool {
        if name == "x-honeycomb-team" { return true }
        if name == "access-control-allow-credentials" { return false }
        let all = Array(name.utf8).split { !(0x61...0x7A).contains($0) && !(0x30...0x39).contains($0) }
        return all.indices.contains { index in
            let word = all[index]
            if isKeyOfHarmlessTerm(word, after: index > 0 ? all[index - 1] : []) { return false }
            if index == all.count - 1, keyEndings.contains(where: { word.ends(with: $0) }) { return true }
            if word.starts(with: oauth) || word.ends(with: auth) { return true }
            return secretWords.contains { word.elementsEqual($0) } || secretParts.contains { word.contains(part: $0) }
        }
    }

    /// Whether a word is a key or a token of a harmless thing, which is named in it or by the word before: `rowkey`,
    /// `page-token`.
    private static func isKeyOfHarmlessTerm(_ word: ArraySlice<UInt8>, after before: ArraySlice<UInt8>) -> Bool {
        guard let ending = (keyEndings + tokenEndings).first(where: { word.ends(with: $0) }) else { return false }
        let rest = word.dropLast(ending.count)
        return isHarmlessTerm(rest.isEmpty ? before : rest)
    }

    /// Whether a word is one of the harmless things, or several of them without a separator.
    private static func isHarmlessTerm(_ word: ArraySlice<UInt8>) -> Bool {
        harmlessTerms.contains { thing in
            word.starts(with: thing) && (word.count == thing.count || isHarmlessTerm(word.dropFirst(thing.count)))
        }
    }

    private static let oauth = Array("oauth".utf8)
    private static let auth = Array("auth".utf8)
    private static let keyEndings = words("key keys")
    private static let tokenEndings = words("token tokens")
    /// The things whose keys and tokens are not secret.
    private static let harmlessTerms = words(
        """
        idempotency deduplication cache surrogate partition routing variant public lock page next continuation sync row \
        sort object shard max limit ratelimit remaining
        """)
    /// The words that make a name secret.
    private static let secretWords = words("oidc saml dpop pwd otp pin sid hmac principal appcheck")
    /// The parts of words that make a name secret.
    private static let secretParts = words(
        """
        token secret passw passphrase passcode apikey credential authoriz authoris authentication session cookie \
        signature bearer jwt csrf xsrf assertion nonce
        """)

    private static func words(_ text: String) -> [[UInt8]] { text.split(separator: " ").map { Array($0.utf8) } }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with part: [UInt8]) -> Bool { count >= part.count && suffix(part.count).elementsEqual(part) }

    fileprivate func contains(part: [UInt8]) -> Bool {
        count >= part.count && (startIndex...(endIndex - part.count)).contains { self[$0...].starts(with: part) }
    }
}

extension ResponseRecord {
    /// Returns the record without the fields that carry credentials or cookies.
    ///
    /// The value of such a field that selects the response must be a keyed hash. Any other value becomes empty, so that
    /// it selects the response for no request.
    package func without(_ credentials: CredentialFields) -> ResponseRecord {
        var record = self
        record.fields.removeAll { credentials.contains($0.name) }
        for index in selecting.indices where credentials.contains(selecting[index].name) {
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
