internal import LarderFormat

/// Which keys a statement's constraints leave.
///
/// SQLite compares `key` as a text. In the store keys that are decimal numbers come first and sort as numbers, then
/// texts by their bytes; so a range of texts is a range among the latter, and all or none of the former. SQLite checks
/// every row again: what is given here may only be too much.
///
/// Which affinity the other side of a comparison has is not known. Where its value is a number, the key may be taken
/// for a number too (`key = CAST(? AS INTEGER)` finds `'05'`), so keys that look like the number are looked at as well.
/// An expression with numeric affinity gives numbers only, so a text is compared as a text.
struct KeyBounds {
    private var isEmpty = false
    private var point: String?
    private var number: Double?
    private var integer: Int64?
    private var lower: String?
    private var upper: String?
    private var prefix: String?

    init() {}

    /// Takes a constraint into account.
    mutating func narrow(_ comparison: Comparison, _ value: SQLValue?) {
        guard let value else { return }
        switch (comparison, value) {
        case (.isNull, _): isEmpty = true
        case (.isNotNull, _): break
        case (_, .null): isEmpty = true
        case (.equal, .text(let text)), (.same, .text(let text)): point = text
        case (.equal, .blob), (.same, .blob): isEmpty = true
        case (.equal, .integer(let value)), (.same, .integer(let value)):
            integer = value
            number = Double(value)
        case (.equal, .real(let value)), (.same, .real(let value)):
            integer = Int64(exactly: value)
            number = value
        case (.greater, .text(let text)), (.greaterOrEqual, .text(let text)):
            lower = lower.map { $0.precedes(text) ? text : $0 } ?? text
        case (.less, .text(let text)), (.lessOrEqual, .text(let text)):
            upper = upper.map { text.precedes($0) ? text : $0 } ?? text
        case (.glob, .text(let pattern)): prefix = TextPattern.globPrefix(pattern)
        case (.like, .text(let pattern)): prefix = TextPattern.caselessLikePrefix(pattern)
        default: break
        }
    }

    /// The ranges of keys, in the store's order and without overlap.
    func segments() -> [KeySegment] {
        if isEmpty { return [] }
        if let point { return [KeySegment(point: point)] }
        if let number { return segments(equal: number, integer) }
        let least = [lower, prefix].compactMap { $0 }.max { $0.precedes($1) }
        var segments: [KeySegment] = []
        if holdsDecimals { segments.append(.decimals) }
        let start = least.map(Self.firstText) ?? ""
        segments.append(KeySegment(from: start, through: upper.map(Self.lastText), prefix: prefix))
        return segments
    }

    private func segments(equal number: Double, _ integer: Int64?) -> [KeySegment] {
        var segments: [KeySegment] = []
        if let integer { segments.append(KeySegment(point: String(integer))) }
        // Beyond 2^53 a real equals one integer, and one that has no real of its own equals nothing else.
        var texts = KeySegment(from: "\t", through: ":", prefix: nil)
        texts.number = number
        segments.append(texts)
        return segments
    }

    /// Whether a decimal number can lie within: one begins with a digit or a minus.
    private var holdsDecimals: Bool {
        if let prefix, !prefix.isEmpty, !Self.beginsDecimal(prefix) { return false }
        if let lower, let first = lower.utf8.first, first > 0x39 { return false }
        if let upper, (upper.utf8.first ?? 0) < 0x2D { return false }
        return true
    }

    private static func beginsDecimal(_ prefix: String) -> Bool {
        let digits = prefix.utf8.first == 0x2D ? prefix.utf8.dropFirst() : prefix.utf8[...]
        return digits.count <= 19 && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// A key stored as text that no other text key from `text` on sorts before.
    private static func firstText(from text: String) -> String {
        guard RecordKey.canonicalDecimal(text) != nil, let last = text.utf8.last else { return text }
        // Stored as text, this would be a number: one character less, and the highest behind it.
        let start = String(decoding: text.utf8.dropLast(), as: UTF8.self)
        return start + String(Unicode.Scalar(last - 1)) + "\u{10FFFF}"
    }

    /// A key stored as text that no other text key up to `text` sorts behind.
    private static func lastText(upTo text: String) -> String {
        RecordKey.canonicalDecimal(text) == nil ? text : text + "\u{0}"
    }
}

/// A range of keys in the store's order.
struct KeySegment {
    /// The first key; nil is the start of the type.
    let from: String?
    /// The last key; nil is the end of the type.
    let through: String?
    /// What the keys begin with; the range ends behind them.
    let prefix: [UInt8]?
    /// The number that the keys may be taken for; nil: any key.
    var number: Double?

    init(from: String?, through: String?, prefix: String?) {
        self.from = from
        self.through = through
        self.prefix = prefix.map { Array($0.utf8) }
    }

    init(point: String) {
        self.init(from: point, through: point, prefix: nil)
    }

    /// Every key of a type.
    static let all = KeySegment(from: nil, through: nil, prefix: nil)
    /// The keys that are decimal numbers.
    static let decimals = KeySegment(from: nil, through: String(Int64.max), prefix: nil)

    /// Whether a key found in the range may be wanted, and whether keys behind it may.
    func judge(_ key: String) -> (isWanted: Bool, isOver: Bool) {
        if let number { return (NumericText.mayEqual(key, number), false) }
        guard let prefix else { return (true, false) }
        if key.utf8.starts(with: prefix) { return (true, false) }
        return (false, prefix.lexicographicallyPrecedes(key.utf8))
    }
}

extension String {
    /// Whether the UTF-8 of this text sorts before that of `other`.
    func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
