/// The name of one write: a key that the client created, within the client's account.
public struct IdempotencyKey: Hashable, Sendable {
    /// The longest account, in bytes of UTF-8.
    public static let longestAccount = 200
    /// The longest key, in bytes.
    public static let longestText = 128

    /// The account of the key: two accounts may use the same key and never see each other's responses.
    public let account: String
    /// The key as the client sent it, without quotes.
    public let text: String

    /// Names a write.
    ///
    /// - Throws: ``IdempotencyError/accountTooLong(actual:)``, ``IdempotencyError/malformedKey``.
    public init(account: String, text: String) throws(IdempotencyError) {
        let length = account.utf8.count
        guard length <= Self.longestAccount else { throw .accountTooLong(actual: length) }
        guard Self.isKey(text.utf8) else { throw .malformedKey }
        self.account = account
        self.text = text
    }

    /// Returns the key in a header field's value: bare, or in quotes as a structured string (RFC 9651 §3.3.3).
    ///
    /// - Returns: nil when the value is neither, or no key: 1 to 128 visible ASCII characters except quotes, commas and
    ///   backslashes.
    public static func text(ofField value: String) -> String? {
        var characters = Substring(value).utf8
        if characters.count >= 2, characters.first == UInt8(ascii: "\""), characters.last == UInt8(ascii: "\"") {
            characters = characters.dropFirst().dropLast()
        }
        return isKey(characters) ? String(Substring(characters)) : nil
    }

    /// Returns whether the characters form a key. Commas are refused because a field sent twice arrives as one with a
    /// comma.
    private static func isKey(_ characters: some Collection<UInt8>) -> Bool {
        let isShort = characters.count >= 1 && characters.count <= longestText
        return isShort
            && characters.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",")
                    && byte != UInt8(ascii: "\\")
            }
    }
}
