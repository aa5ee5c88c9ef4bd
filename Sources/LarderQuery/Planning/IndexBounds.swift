internal import LarderFormat
internal import LarderStore

/// The entries of an index that a statement's constraints leave.
///
/// SQLite checks every row again, so there may be too many of them, but never too few. The affinity of the other side
/// of a comparison is unknown, so each is covered:
///
/// - Against a number, SQLite may compare the column's texts as numbers (`price = CAST(? AS INTEGER)` finds `'5'`). So
///   the texts that look like a number are read as well. Few columns have any, so that most reads are of an empty
///   range.
/// - Against a text, SQLite may compare the column's numbers as texts, or both as numbers (`chapter_id = chapters.key`
///   finds `5` and `'05'`). So the number that the text spells is read as well, and every text that spells it. In a
///   comparison of order with a text that spells a number, every text that does may be on either side.
/// - A column of texts compares with the text of a number (`name > 5` finds `'abc'`).
struct IndexBounds {
    private let collation: IndexCollation
    private let affinity: ColumnDefinition.Affinity
    private var hasNulls = true
    private var numbers: IndexRange? = Self.allNumbers
    private var texts: IndexRange? = IndexRange(lower: IndexRange.Bound(.text(""), isInclusive: true))
    /// The form that the texts must have.
    private var filter = IndexSegment.Filter.none
    /// The range of the text itself, if all texts that spell the same number are selected.
    private var exactTexts: IndexRange?

    private static let allNumbers = IndexRange(
        lower: IndexRange.Bound(.real(-.infinity), isInclusive: true),
        upper: IndexRange.Bound(.real(.infinity), isInclusive: true))

    init(_ collation: IndexCollation, _ affinity: ColumnDefinition.Affinity) {
        self.collation = collation
        self.affinity = affinity
    }

    /// Narrows the bounds by a constraint.
    mutating func narrow(_ comparison: Comparison, _ value: SQLValue?) {
        switch (comparison, value) {
        case (.isNull, _), (.same, .null?): excludeAllButNulls()
        // No value compares with null, and a null fulfils no comparison.
        case (_, .null?) where comparison != .isNotNull: excludeAll()
        case (.same, nil): break
        default: hasNulls = false
        }
        guard let value = affinity == .text ? value?.comparedAsText : value else { return }
        switch (comparison, value) {
        case (.equal, .integer), (.equal, .real), (.same, .integer), (.same, .real): narrow(equalNumber: value)
        case (.equal, .text(let text)), (.same, .text(let text)): narrow(equalText: text)
        case (.equal, .blob), (.same, .blob): excludeAll()
        case (.less, .integer), (.less, .real), (.lessOrEqual, .integer), (.lessOrEqual, .real):
            narrowNumbers(upper: IndexValue(value), isInclusive: comparison == .lessOrEqual)
            narrowTextsToNumeric(.numeric)
        case (.greater, .integer), (.greater, .real), (.greaterOrEqual, .integer), (.greaterOrEqual, .real):
            narrowNumbers(lower: IndexValue(value), isInclusive: comparison == .greaterOrEqual)
        case (.less, .text(let text)), (.lessOrEqual, .text(let text)):
            let last = text.precedes(NumericText.end) ? NumericText.end : text
            narrowTexts(upper: .text(last), isInclusive: comparison == .lessOrEqual)
        case (.greater, .text(let text)), (.greaterOrEqual, .text(let text)):
            narrow(above: text, isInclusive: comparison == .greaterOrEqual)
        case (.glob, .text(let pattern)): narrow(prefix: TextPattern.globPrefix(pattern))
        case (.like, .text(let pattern)):
            let isFolded = collation == .nocase
            narrow(prefix: isFolded ? TextPattern.likePrefix(pattern) : TextPattern.caselessLikePrefix(pattern))
        default: break
        }
    }

    /// Returns the ranges of entries, in the index's order and without overlap.
    func segments() -> [IndexSegment] {
        var segments: [IndexSegment] = []
        if hasNulls { segments.append(IndexSegment(range: .equal(.null))) }
        if let numbers { segments.append(IndexSegment(range: numbers)) }
        if let texts { segments.append(IndexSegment(range: texts, filter: filter)) }
        return segments
    }

    /// Returns the ranges for an estimate of the number of rows: few texts are spelled otherwise than in the query.
    func likelyRanges() -> [IndexRange] {
        segments().map { segment in
            if case .equal = segment.filter { exactTexts ?? segment.range } else { segment.range }
        }
    }

    private mutating func excludeAll() {
        hasNulls = false
        numbers = nil
        texts = nil
    }

    private mutating func excludeAllButNulls() {
        numbers = nil
        texts = nil
    }

    private mutating func narrow(equalNumber value: SQLValue) {
        narrowNumbers(lower: IndexValue(value))
        narrowNumbers(upper: IndexValue(value))
        narrowTextsToNumeric(.equal(value.number ?? .nan))
    }

    private mutating func narrow(equalText text: String) {
        if let number = NumericText.number(text) {
            // The other side may be a `key`: as numbers, `'5'` and `'05'` are equal.
            narrowTextsToNumeric(.equal(number))
            exactTexts = .equal(.text(text))
        } else {
            narrowTexts(lower: .text(text))
            narrowTexts(upper: .text(text))
        }
        if let integer = RecordKey.canonicalDecimal(text) {
            // Integers are spelled exactly, and reals with a point or an exponent.
            narrowNumbers(lower: .integer(integer))
            narrowNumbers(upper: .integer(integer))
        } else if let number = NumericText.value(text) {
            // Reals are spelled with 15 digits: those nearby may be spelled alike.
            let tolerance = abs(number) * NumericText.tolerance
            narrowNumbers(lower: .real(number - tolerance))
            narrowNumbers(upper: .real(number + tolerance))
        } else {
            numbers = nil
        }
    }

    private mutating func narrow(above text: String, isInclusive: Bool) {
        if NumericText.number(text) == nil { narrowTexts(lower: .text(text), isInclusive: isInclusive) }
        // After the digits only `Inf` is the beginning of a number's text.
        if let first = text.utf8.first, first > 0x39 { narrowNumbers(lower: .real(.infinity)) }
    }

    private mutating func narrow(prefix: String) {
        if prefix.isEmpty { return }
        if !TextPattern.mayBeginNumber(prefix) { numbers = nil }
        narrowTexts(lower: .text(prefix))
        if let end = TextPattern.end(ofPrefix: collation == .nocase ? prefix.asciiLowercased : prefix) {
            narrowTexts(upper: .text(end))
        }
    }

    private mutating func narrowTextsToNumeric(_ filter: IndexSegment.Filter) {
        narrowTexts(lower: .text("\t"))
        narrowTexts(upper: .text(":"))
        // One of two filters is enough: SQLite checks both.
        self.filter = filter
    }

    private mutating func narrowNumbers(
        lower: IndexValue? = nil, upper: IndexValue? = nil, isInclusive: Bool = true
    ) {
        numbers = numbers.flatMap { Self.narrowed($0, lower, upper, isInclusive, .binary) }
    }

    private mutating func narrowTexts(lower: IndexValue? = nil, upper: IndexValue? = nil, isInclusive: Bool = true) {
        texts = texts.flatMap { Self.narrowed($0, lower, upper, isInclusive, collation) }
    }

    /// Returns the range of exactly the entries that fulfil comparisons in which SQLite converts nothing; nil for none.
    static func exactRange(_ comparisons: [(Comparison, SQLValue?)]) -> IndexRange? {
        // No value compares with null.
        var range: IndexRange? = IndexRange(lower: IndexRange.Bound(.null, isInclusive: false))
        for (comparison, value) in comparisons {
            guard let value = value.map({ IndexValue($0) }), value != .null else { return nil }
            switch comparison {
            case .equal:
                range = range.flatMap { narrowed($0, value, nil, true, .binary) }
                range = range.flatMap { narrowed($0, nil, value, true, .binary) }
            case .less: range = range.flatMap { narrowed($0, nil, value, false, .binary) }
            case .lessOrEqual: range = range.flatMap { narrowed($0, nil, value, true, .binary) }
            case .greater: range = range.flatMap { narrowed($0, value, nil, false, .binary) }
            case .greaterOrEqual: range = range.flatMap { narrowed($0, value, nil, true, .binary) }
            case .isNull, .isNotNull, .same, .like, .glob: break
            }
        }
        return range
    }

    /// Returns the part of a range within another bound; nil when nothing is left.
    private static func narrowed(
        _ range: IndexRange, _ lower: IndexValue?, _ upper: IndexValue?, _ isInclusive: Bool,
        _ collation: IndexCollation
    ) -> IndexRange? {
        var range = range
        if let lower, range.lower.map({ !collation.precedes(lower, $0.value) }) ?? true {
            let isSame = range.lower.map { !collation.precedes($0.value, lower) } ?? false
            let wasInclusive = range.lower?.isInclusive ?? true
            range.lower = IndexRange.Bound(lower, isInclusive: isInclusive && (wasInclusive || !isSame))
        }
        if let upper, range.upper.map({ !collation.precedes($0.value, upper) }) ?? true {
            let isSame = range.upper.map { !collation.precedes(upper, $0.value) } ?? false
            let wasInclusive = range.upper?.isInclusive ?? true
            range.upper = IndexRange.Bound(upper, isInclusive: isInclusive && (wasInclusive || !isSame))
        }
        guard let lower = range.lower, let upper = range.upper else { return range }
        if collation.precedes(upper.value, lower.value) { return nil }
        let isPoint = !collation.precedes(lower.value, upper.value)
        return isPoint && !(lower.isInclusive && upper.isInclusive) ? nil : range
    }
}

/// A range of an index.
struct IndexSegment {
    /// The form that the texts of a range must have.
    enum Filter {
        /// Anything.
        case none
        /// A number.
        case numeric
        /// This number.
        case equal(Double)
    }

    let range: IndexRange
    var filter = Filter.none

    /// The digits by which reading can skip texts; nil: every text is read.
    var digits: NumberDigits? { if case .equal(let number) = filter { NumberDigits(number) } else { nil } }

    /// Whether the row of an entry has to be checked.
    func matches(_ value: IndexValue) -> Bool {
        guard case .text(let text) = value else { return true }
        switch filter {
        case .none: return true
        case .numeric: return NumericText.value(text) != nil
        case .equal(let number): return NumericText.mayEqual(text, number)
        }
    }
}

extension SQLValue {
    /// The value that a column of texts is compared with; nil for a real, whose text is SQLite's to make.
    fileprivate var comparedAsText: SQLValue? {
        switch self {
        case .integer(let integer): .text(String(integer))
        case .real: nil
        case .null, .text, .blob: self
        }
    }
}

extension IndexValue {
    /// The value as an index holds it.
    init(_ value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        case .blob(let bytes): self = .blob(bytes)
        }
    }
}
