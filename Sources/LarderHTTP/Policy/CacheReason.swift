/// The reason a response was stored, used or not: one fact, with the section of the standard it comes from.
///
/// ```swift
/// let answer = try await cache.fetch(request)
/// print(answer.reuse)  // such as: What is stored is fresh. (RFC 9111 §4.2)
/// if answer.storage.word == "no-store" { print("the server forbids storing it") }
/// ```
public struct CacheReason: Hashable, Sendable {
    /// A short fixed word for programs and tests, such as `fresh`, `no-store` or `vary-mismatch`.
    public var word: String
    /// A sentence for display, without content of the exchange.
    public var sentence: String
    /// The source of the rule, such as `RFC 9111 §4.2`; nil for decisions of the host or of this library.
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
