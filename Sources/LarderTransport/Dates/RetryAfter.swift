/// Reads the header field with which a server says when to come back. RFC 9110 §10.2.3.
package enum RetryAfter {
    /// The longest wait that a server can ask for, in seconds: one day.
    ///
    /// A clock that is wrong, or a server that means harm, must not silence a client for years.
    package static let longest = 86_400

    /// The seconds to wait, 0 to ``longest``; `nil` when the field says nothing that can be read.
    ///
    /// A date is taken relative to the server's own `Date`, so that a client whose clock is wrong waits as long as it
    /// was asked to; without one, relative to the clock here. A date in the past and a negative number are 0; fractions
    /// of a second count as a whole one.
    ///
    /// - Parameters:
    ///   - field: the value of `Retry-After`: a number of seconds, or an HTTP-date.
    ///   - date: the value of `Date` in the same answer; one that cannot be read counts as none.
    ///   - now: the time here, in milliseconds since 1970-01-01 UTC.
    package static func seconds(_ field: String, date: String?, now: Int64) -> Int? {
        let value = trimmed(field)
        if let seconds = number(value) { return seconds }
        guard let then = HTTPDate.milliseconds(of: value, now: now) else { return nil }
        let start = date.flatMap { HTTPDate.milliseconds(of: trimmed($0), now: now) } ?? now
        let (wait, overflowed) = then.subtractingReportingOverflow(start)
        if overflowed { return then > start ? longest : 0 }
        guard wait > 0 else { return 0 }
        return Int(min((wait - 1) / 1000 + 1, Int64(longest)))
    }

    /// A number of seconds, of any length.
    private static func number(_ text: String) -> Int? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if isNegative { return 0 }
        // Digits that do not fit name a wait beyond the longest.
        return min(Int(text) ?? longest, longest)
    }

    /// The text without the white space around it. RFC 9110 §5.6.3.
    private static func trimmed(_ text: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = text.utf8.drop(while: isBlank)
        let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(text[bytes.startIndex..<end])
    }
}
