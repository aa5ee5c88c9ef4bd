// Proves for any bytes: header fields, dates and references are read without a trap, and written as what they are.

import LarderHTTP
import LarderTransport

enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        "\u{0}max-age=60, no-cache=\"set-cookie, a\", private, stale-if-error=5;x, max-stale",
        "\u{1}bytes 4-9/10", "\u{1}bytes 0-0/*", "\u{2}W/\"a\", \"b,c\", d", "\u{2}*",
        "\u{3}Sun, 06 Nov 1994 08:49:37 GMT", "\u{3}Sunday, 06-Nov-94 08:49:37 GMT", "\u{3}Sun Nov  6 08:49:37 1994",
        "\u{3}1994-11-06T08:49:37.123+01:30", "\u{4}120", "\u{4}Sun, 06 Nov 1994 08:49:37 GMT",
        "\u{5}https://user@example.org:8443/a/../b?c#d", "\u{6}bytes=0-4,-5", "\u{7}application/json; charset=utf-8",
    ].map { Array($0.utf8) }

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        let kind = input.byte() % 8
        if kind == 4 { return checkWait(&input) }
        let bytes = input.remainder()
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case 0: checkDirectives(bytes)
        case 1:
            guard let range = ContentRange(bytes) else { return }
            require(ContentRange(Array(range.text.utf8)) == range, "\(range) is written as \(range.text)")
            require(range.total ?? .max >= range.range.upperBound, "\(range) is beyond its total")
        case 2: checkTags(bytes)
        case 3: checkDate(bytes, text)
        case 5: _ = URIReference(text)
        case 6: _ = RangeRequest(bytes)
        default: _ = ContentKind(text)
        }
    }

    /// Checks that no number is negative, no name is repeated, and empty members change nothing.
    private static func checkDirectives(_ bytes: [UInt8]) {
        let directives = CacheControl(bytes)
        let numbers = [
            directives.maxAge, directives.minFresh, directives.staleWhileRevalidate, directives.staleIfError,
        ]
        require(numbers.allSatisfy { $0 ?? 0 >= 0 }, "a number is negative in \(directives)")
        for names in [FieldScanner.tokens(bytes), Array(directives.noCacheFields)] {
            require(Set(names).count == names.count && names.allSatisfy { !$0.isEmpty }, "\(names)")
        }
        require(CacheControl(Array(", ,".utf8) + bytes) == directives, "empty members change \(directives)")
    }

    private static func checkTags(_ bytes: [UInt8]) {
        if let tag = EntityTag(bytes) {
            require(EntityTag(tag.text) == tag && tag.matchesWeakly(tag), "\(tag) is another tag as it is written")
            require(
                tag.matchesStrongly(tag) != tag.isWeak, "a weak tag proves the same bytes, or a strong one does not")
        }
        guard case .tags(let tags) = EntityTagList(bytes) else { return }
        for tag in tags { require(EntityTagList(bytes).matches(tag), "a list has not its own tag") }
    }

    /// Checks that a date is written as one of the same time.
    private static func checkDate(_ bytes: [UInt8], _ text: String) {
        let now: Int64 = 1_700_000_000_000
        for time in [HTTPDate.milliseconds(of: bytes, now: now), RFC3339.milliseconds(of: text)] {
            guard let time else { continue }
            let written = HTTPDate.text(of: time)
            guard let read = HTTPDate.milliseconds(of: written, now: now) else { fatalError("\(written) is no date") }
            // A time zone may lead out of the years that can be written.
            if (-62_167_219_200_000..<253_402_300_800_000).contains(time) {
                require(read <= time && time - read < 1000, "\(time) is written as \(written)")
            }
        }
    }

    private static func checkWait(_ input: inout FuzzedBytes) {
        let (now, date) = (input.integer(), input.text())
        let field = String(decoding: input.remainder(), as: UTF8.self)
        for date in [nil, date] {
            guard let seconds = RetryAfter.seconds(field, date: date, now: now) else { continue }
            require((0...RetryAfter.longest).contains(seconds), "\(field) is a wait of \(seconds) s")
        }
    }
}
