internal import LarderFormat
internal import LarderStore

/// Which entries of an index a statement's constraints leave.
///
/// SQLite checks every row again: what is given here may only be too much. Which affinity the other side of a
/// comparison has is not known, and the column has none, so both cases are covered:
///
/// - Against a number, the column's texts may be taken for numbers (`price = CAST(? AS INTEGER)` finds `'5'`), so those
///   that look like one are looked at as well. Few columns have any: that costs a look at an empty range.
/// - Against a text, the column's numbers may be taken for texts, or both for numbers (`chapter_id = chapters.key` finds
///   `5` and `'05'`), so the number that the text spells is looked at as well, and every text that spells it; in a
///   comparison of order with a text that spells a number, every text that does may lie on either side.
struct IndexBounds {
    private let collation: IndexCollation
    private var hasNulls = true
    private var numbers: IndexRange? = Self.allNumbers
    private var texts: IndexRange? = IndexRange(lower: IndexRange.Bound(.text(""), isInclusive: true))
    /// What texts must look like to be wanted.
    private var filter = IndexSegment.Filter.none
    /// The very text that is wanted, or one that spells the same number.
    private var spelled: IndexRange?

    private static let allNumbers = IndexRange(
        lower: IndexRange.Bound(.real(-.infinity), isInclusive: true),
        upper: IndexRange.Bound(.real(.infinity), isInclusive: true))

    init(_ collation: IndexCollation) {
        self.collation = collation
    }

    /// Takes a constraint into account.
    mutating func narrow(_ comparison: Comparison, _ value: SQLValue?) {
        switch (comparison, value) {
        case (.isNull, _), (.same, .null?): leaveNulls()
        // Nothing compares with null, and what is null fulfils no comparison.
        case (_, .null?) where comparison != .isNotNull: leaveNothing()
        case (.same, nil): break
        default: hasNulls = false
        }
        guard let value else { return }
        switch (comparison, value) {
        case (.equal, .integer), (.equal, .real), (.same, .integer), (.same, .real): narrow(equalNumber: value)
        case (.equal, .text(let text)), (.same, .text(let text)): narrow(equalText: text)
        case (.equal, .blob), (.same, .blob): leaveNothing()
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

    /// The ranges of entries, in the index's order and without overlap.
    func segments() -> [IndexSegment] {
        var segments: [IndexSegment] = []
        if hasNulls { segments.append(IndexSegment(range: .equal(.null))) }
        if let numbers { segments.append(IndexSegment(range: numbers)) }
        if let texts { segments.append(IndexSegment(range: texts, filter: filter)) }
        return segments
    }

    /// The ranges that tell how many rows are likely to be found: few are spelled otherwise than asked.
    func likelyRanges() -> [IndexRange] {
        segments().map { segment in
            if case .equal = segment.filter { spelled ?? segment.range } else { segment.range }
        }
    }

    private mutating func leaveNothing() {
        hasNulls = false
        numbers = nil
        texts = nil
    }

    private mutating func leaveNulls() {
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
            spelled = .equal(.text(text))
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
        // Behind the digits only `Inf` is the beginning of a number's text.
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
        // Of two filters either does: SQLite checks both.
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

    /// The part of a range within another bound; nil when nothing is left.
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
    /// What the texts of a range must look like.
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

    /// What lets a look at the texts jump; nil: every text is looked at.
    var digits: NumberDigits? { if case .equal(let number) = filter { NumberDigits(number) } else { nil } }

    /// Whether the row of an entry has to be looked at.
    func isWanted(_ value: IndexValue) -> Bool {
        guard case .text(let text) = value else { return true }
        switch filter {
        case .none: return true
        case .numeric: return NumericText.value(text) != nil
        case .equal(let number): return NumericText.mayEqual(text, number)
        }
    }
}

extension IndexValue {
    /// The value as an index has it.
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
