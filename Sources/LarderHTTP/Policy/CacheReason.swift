/// Why a response was kept, used or passed over: one fact, with the section of the standard it comes from.
public struct CacheReason: Hashable, Sendable {
    /// A short fixed word for programs and tests, such as `fresh`, `no-store` or `vary-mismatch`.
    public var word: String
    /// One sentence for people, without content of the exchange.
    public var sentence: String
    /// Where it is written, such as `RFC 9111 §4.2`; nil for what the host or this library decided.
    public var source: String?

    /// A reason of these parts.
    public init(_ word: String, _ sentence: String, source: String? = nil) {
        self.word = word
        self.sentence = sentence
        self.source = source
    }
}

extension CacheReason: CustomStringConvertible {
    /// The sentence, with its source in brackets.
    public var description: String { source.map { "\(sentence) (\($0))" } ?? sentence }
}
