internal import LarderFormat

/// The keys that a statement's constraints leave.
///
/// The column `key` has numeric affinity: SQLite compares a key that spells a number as that number, and any other key
/// as text, which sorts after every number. That is the store's own order, except for keys such as `05` and `1e3`: they
/// spell numbers and are stored as text. SQLite checks every row again, so the segments may hold too much.
///
/// Equality is SQLite's too: a text that spells a number equals every key that does. So `'05'` equals the key `5`, and
/// two numbers of 20 digits may equal each other.
struct KeyBounds {
    private var isEmpty = false
    private var point: String?
    private var equal: Double?
    private var integers: ClosedRange<Int64>?
    /// The bounds of the numbers: exact, because a `Double` distinguishes only some of the keys beyond 2^53.
    private var least = Int64.min
    private var greatest = Int64.max
    /// The bounds of the texts; ``hasTexts`` is false where only numbers remain.
    private var lower: String?
    private var upper: String?
    private var hasTexts = true
    private var hasNumbers = true
    private var prefix: String?

    init() {}

    /// Narrows the bounds to the keys that fulfil a constraint.
    mutating func narrow(_ comparison: Comparison, _ value: SQLValue?) {
        guard let value else { return }
        switch (comparison, value) {
        case (.isNull, _): isEmpty = true
        case (.isNotNull, _): break
        case (_, .null): isEmpty = true
        case (.equal, .text(let text)), (.same, .text(let text)): narrow(equalText: text)
        case (.equal, .blob), (.same, .blob): isEmpty = true
        case (.equal, .integer(let value)), (.same, .integer(let value)):
            integers = value...value
            equal = Double(value)
        case (.equal, .real(let value)), (.same, .real(let value)):
            integers = Int64(exactly: value).map { $0...$0 }
            equal = value
        case (.greater, _), (.greaterOrEqual, _): narrow(above: value)
        case (.less, _), (.lessOrEqual, _): narrow(below: value)
        case (.glob, .text(let pattern)): prefix = TextPattern.globPrefix(pattern)
        case (.like, .text(let pattern)): prefix = TextPattern.caselessLikePrefix(pattern)
        default: break
        }
    }

    private mutating func narrow(equalText text: String) {
        guard let number = NumericText.number(text) else { return point = text }
        equal = number
        integers = SQLValue.text(text).enclosingIntegers
    }

    private mutating func narrow(above value: SQLValue) {
        if let numbers = value.enclosingIntegers {
            least = max(least, numbers.lowerBound)
        } else if case .text(let text) = value {
            hasNumbers = false
            lower = lower.map { $0.precedes(text) ? text : $0 } ?? text
        }
    }

    private mutating func narrow(below value: SQLValue) {
        if let numbers = value.enclosingIntegers {
            hasTexts = false
            greatest = min(greatest, numbers.upperBound)
        } else if case .text(let text) = value {
            upper = upper.map { text.precedes($0) ? text : $0 } ?? text
        }
    }

    /// Returns the ranges of keys, in the store's order and without overlap.
    ///
    /// - Parameter hasSpelled: returns whether there may be keys that spell a number and are stored as text.
    func segments(_ hasSpelled: () throws -> Bool) rethrows -> [KeySegment] {
        if isEmpty { return [] }
        if let point { return [KeySegment(point: point)] }
        if let equal { return try segments(equal: equal, hasSpelled) }
        return [decimals, texts].compactMap { $0 }
    }

    private func segments(equal number: Double, _ hasSpelled: () throws -> Bool) rethrows -> [KeySegment] {
        var segments: [KeySegment] = []
        if let integers {
            var decimals = KeySegment(
                from: String(integers.lowerBound), through: String(integers.upperBound), prefix: nil)
            decimals.number = number
            segments.append(decimals)
        }
        guard try hasSpelled() else { return segments }
        // Beyond 2^53 a real equals one integer, and an integer without a real of its own equals nothing else.
        var texts = KeySegment(from: NumericText.start, through: NumericText.end, prefix: nil)
        texts.number = number
        texts.digits = NumberDigits(number)
        segments.append(texts)
        return segments
    }

    /// The keys that are stored as numbers.
    private var decimals: KeySegment? {
        if let prefix, !prefix.isEmpty, !Self.beginsDecimal(prefix) { return nil }
        guard hasNumbers, least <= greatest else { return nil }
        return KeySegment(from: String(least), through: String(greatest), prefix: nil)
    }

    /// The keys that are stored as texts, including those that spell numbers.
    private var texts: KeySegment? {
        let texts = hasTexts ? upper : ""
        // Texts that spell numbers are compared as numbers, wherever they sort among the others.
        let last = texts.map { hasNumbers && $0.precedes(NumericText.end) ? NumericText.end : $0 }
        if !hasTexts, !hasNumbers { return nil }
        let first = [lower, prefix].compactMap { $0 }.max { $0.precedes($1) } ?? ""
        return KeySegment(from: Self.firstText(from: first), through: last.map(Self.lastText), prefix: prefix)
    }

    private static func beginsDecimal(_ prefix: String) -> Bool {
        let digits = prefix.utf8.first == 0x2D ? prefix.utf8.dropFirst() : prefix.utf8[...]
        return digits.count <= 19 && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns a key stored as text that no other text key from `text` on sorts before.
    static func firstText(from text: String) -> String {
        guard RecordKey.canonicalDecimal(text) != nil, let last = text.utf8.last else { return text }
        // A decimal is stored as a number; the key before it ends in its last character less one, and the highest.
        let start = String(decoding: text.utf8.dropLast(), as: UTF8.self)
        return start + String(Unicode.Scalar(last - 1)) + "\u{10FFFF}"
    }

    /// Returns a key stored as text that no other text key up to `text` sorts after.
    private static func lastText(upTo text: String) -> String {
        RecordKey.canonicalDecimal(text) == nil ? text : text + "\u{0}"
    }
}

extension SQLValue {
    /// The nearest integers at or below, and at or above, the number that SQLite compares this value as where one side
    /// has numeric affinity; nil for a value that is no number.
    ///
    /// A number beyond 64 bits counts as the nearer end of their range.
    fileprivate var enclosingIntegers: ClosedRange<Int64>? {
        switch self {
        case .integer(let integer): return integer...integer
        case .real(let real): return Self.integers(around: real, within: 0)
        case .text(let text):
            if let integer = RecordKey.canonicalDecimal(text) { return integer...integer }
            guard let number = NumericText.number(text) else { return nil }
            // SQLite's own conversion may give a number adjacent to the nearest real, or an integer that has no real.
            return Self.integers(around: number, within: number.isFinite ? abs(number) * NumericText.tolerance : 0)
        case .null, .blob: return nil
        }
    }

    private static func integers(around number: Double, within tolerance: Double) -> ClosedRange<Int64> {
        let low = (number - tolerance).rounded(.down)
        let high = (number + tolerance).rounded(.up)
        return (Int64(exactly: low) ?? (low < 0 ? .min : .max))...(Int64(exactly: high) ?? (high < 0 ? .min : .max))
    }
}

/// A range of keys in the store's order.
struct KeySegment {
    /// The first key; nil is the start of the type.
    let from: String?
    /// The last key; nil is the end of the type.
    let through: String?
    /// The prefix of the keys; the range ends after them.
    let prefix: [UInt8]?
    /// The number that the keys may be compared as; nil: any key.
    var number: Double?
    /// The digits by which reading can skip keys; nil: every key is read.
    var digits: NumberDigits?

    init(from: String?, through: String?, prefix: String?) {
        self.from = from
        self.through = through
        self.prefix = prefix.map { Array($0.utf8) }
    }

    init(point: String) {
        self.init(from: point, through: point, prefix: nil)
    }

    /// The only key in it; nil: there may be others.
    var point: String? {
        guard let from, let through, from.equalsBytewise(through) else { return nil }
        return from
    }

    /// Whether the keys in the range have to be compared.
    var isFiltered: Bool { number != nil || prefix != nil }

    /// Every key of a type.
    static let all = KeySegment(from: nil, through: nil, prefix: nil)

    /// Returns whether a key in the range may be selected, and whether no key after it can be.
    func match(_ key: String) -> (isWanted: Bool, isOver: Bool) {
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
