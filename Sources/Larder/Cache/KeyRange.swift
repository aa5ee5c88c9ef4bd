internal import LarderFormat
internal import LarderStore

/// A range of the keys of rows. Keys that are decimal numbers sort as numbers, before all others.
///
/// ```swift
/// let page = try cache.rows(Verse.self, in: "translations/10", keys: .numbers(1000..<1010))
/// let names = try cache.rows(Word.self, in: "words/1", keys: .texts(prefix: "river"))
/// print(page.count, names.count)
/// ```
public struct KeyRange: Hashable, Sendable {
    enum Bounds: Hashable, Sendable {
        case all
        case numbers(Int64, Int64)
        case prefix(String)
        case texts(from: String?, to: String?)
    }

    let bounds: Bounds

    /// Every key.
    public static let all = KeyRange(bounds: .all)

    /// The keys that are numbers of a range.
    public static func numbers(_ range: Range<Int64>) -> KeyRange {
        KeyRange(bounds: .numbers(range.lowerBound, range.upperBound))
    }

    /// The keys that begin with `prefix`, as texts: `"10"` begins `10`, `100` and `10-b`.
    public static func texts(prefix: String) -> KeyRange { KeyRange(bounds: .prefix(prefix)) }

    /// The keys from `from` on, up to but without `to`, byte by byte; nil is the first key of all, numbers included, or
    /// the end.
    ///
    /// - Precondition: Neither is a decimal number: those sort as numbers, see ``numbers(_:)``.
    public static func texts(from: String? = nil, to: String? = nil) -> KeyRange {
        for text in [from, to] {
            precondition(text.map { Int64($0).map(String.init) != $0 } ?? true, "\(text ?? "") is a number as a key")
        }
        return KeyRange(bounds: .texts(from: from, to: to))
    }

    /// The range of rows of one type of a resource.
    func rows(of type: String, in resource: ResourceKey) -> RowRange {
        switch bounds {
        case .all: .type(type, of: resource)
        case .numbers(let from, let to): .keys(from: String(from), upTo: String(to), type: type, of: resource)
        case .prefix(let prefix): .prefix(prefix, type: type, of: resource)
        case .texts(let from, let to): .keys(from: from, upTo: to, type: type, of: resource)
        }
    }
}
