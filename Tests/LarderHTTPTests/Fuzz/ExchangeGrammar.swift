// ExchangeGrammar: draws exchanges with malformed, doubled, quoted, huge or borderline fields.

import LarderTesting

/// Draws exchanges from a grammar that loves the edges: what is malformed, doubled, quoted, huge, or just on a limit.
struct ExchangeGrammar {
    var random: SeededGenerator
    /// The middle of time: 14 November 2023, in seconds since 1970.
    static let noon: Int64 = 1_700_000_000

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func happens(_ perMille: Int) -> Bool { random.happens(perMille: perMille) }

    mutating func pick(_ texts: [String]) -> String { random.pick(texts) ?? "" }

    /// A number of seconds as it stands in a directive.
    mutating func seconds() -> String {
        if happens(750) { return pick(["0", "1", "5", "10", "30", "59", "60", "61", "100", "600", "3600"]) }
        let text = pick([
            "\"60\"", "060", "-1", "+5", "1.5", "60s", "", "\"\"", "x", "'60'", "2147483647", "2147483648",
            "99999999999", "99999999999999999999999999", " 60", "60 ", "\"60", "60\"", "\"6\\0\"", "1,2", "\u{FF16}",
        ])
        return text
    }

    /// A time in milliseconds, mostly near `time`, sometimes far off.
    mutating func time(near time: Int64) -> Int64 {
        switch random.below(12) {
        case 0: time
        case 1: time - Int64(random.below(2_000_000_000))
        case 2: time + Int64(random.below(2_000_000_000))
        case 3: time - Int64(random.below(100_000_000)) * 1_000
        case 4...7: time + (Int64(random.below(200)) - 100) * 1_000
        default: time + Int64(random.below(240_000)) - 120_000
        }
    }

    /// A date near `time`, in milliseconds, as one of the three forms, or as something that is none.
    mutating func date(near time: Int64) -> String {
        let model = CacheModel()
        let seconds = Double(self.time(near: time)) / 1_000
        let fixed = model.httpDate(seconds)
        if happens(800) { return fixed }
        let parts = fixed.split(separator: " ").map(String.init)
        let long = [
            "Sun,": "Sunday", "Mon,": "Monday", "Tue,": "Tuesday", "Wed,": "Wednesday", "Thu,": "Thursday",
            "Fri,": "Friday", "Sat,": "Saturday",
        ]
        switch random.below(14) {
        case 0, 1:
            return "\(long[parts[0]] ?? ""), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
        case 2, 3:
            let day = parts[1].hasPrefix("0") ? " " + parts[1].dropFirst() : parts[1]
            return "\(parts[0].dropLast()) \(parts[2]) \(day) \(parts[4]) \(parts[3])"
        case 4: return fixed.lowercased()
        case 5: return fixed.replacing("GMT", with: pick(["UTC", "CET", "+0000", ""]))
        case 6: return fixed.replacing(" ", with: "  ")
        case 7: return String(fixed.dropFirst(random.below(fixed.count)))
        case 8: return String(fixed.dropLast(random.below(fixed.count)))
        case 9: return pick(["0", "-1", "never", "", "Thu, 31 Feb 2022 00:00:00 GMT", "Thu, 18 Aug 50 02:01:18 GMT"])
        case 10: return fixed.replacing(":", with: ".")
        case 11: return "\(fixed), \(fixed)"
        case 12:
            return fixed.replacing(parts[4], with: pick(["23:59:60", "24:00:00", "1:02:03", "00:60:00", "00:00:61"]))
        default: return String(Int64(seconds))
        }
    }

    /// The members of a `Cache-Control`, written in some way.
    mutating func directives(_ names: [String], valued: [String]) -> String {
        var members: [String] = []
        for _ in 0..<(1 + random.below(4)) {
            var member = happens(550) ? "\(pick(valued))=\(seconds())" : pick(names)
            if happens(40) { member = member.uppercased() }
            if happens(25) { member = member.replacing("=", with: pick([" =", "= ", "=="])) }
            members.append(member)
        }
        let separator = happens(800) ? ", " : pick([",", " , ", ",,", ";", " ", ",\t"])
        return members.joined(separator: separator)
    }

    mutating func responseControl() -> String {
        directives(
            [
                "no-cache", "no-store", "must-revalidate", "private", "public", "immutable", "proxy-revalidate",
                "must-understand", "no-transform", "none", "no-cache=\"x-a, set-cookie\"", "no-cache=x-a",
                "private=\"x-a\"", "community=\"UCI, max-age=5\"", "no-cache=\"", "max-age", "x\"y", "no-store=1",
            ],
            valued: [
                "max-age", "max-age", "max-age", "s-maxage", "stale-while-revalidate", "stale-if-error", "ext",
                "must-revalidate",
            ])
    }

    mutating func requestControl() -> String {
        directives(
            ["no-cache", "no-store", "only-if-cached", "max-stale", "no-transform", "none", "immutable", "min-fresh"],
            valued: ["max-age", "max-stale", "min-fresh", "stale-if-error", "ext"])
    }

    mutating func tag() -> String {
        happens(850)
            ? pick(["\"a\"", "\"b\"", "W/\"a\"", "W/\"b\""]) : pick(["a", "\"a", "w/\"a\"", "\"\"", "\"a b\"", "*"])
    }
}
