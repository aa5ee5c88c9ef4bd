/// Parses the header field in which a server names a wait before the next request. RFC 9110 §10.2.3.
package enum RetryAfter {
    /// The longest wait that a server can request, in seconds: one day.
    ///
    /// It keeps a wrong clock or a hostile server from silencing a client for years.
    package static let longest = 86_400

    /// Returns the seconds to wait, 0 to ``longest``; `nil` when the field cannot be parsed.
    ///
    /// A date is read relative to the server's own `Date`, so that a client with a wrong clock waits as long as
    /// requested; without one, relative to the local clock. A date in the past and a negative number are 0; fractions
    /// of a second count as a whole one.
    ///
    /// - Parameters:
    ///   - field: The value of `Retry-After`: a number of seconds, or an HTTP-date.
    ///   - date: The value of `Date` in the same response; one that cannot be parsed counts as none.
    ///   - now: The local time, in milliseconds since 1970-01-01 UTC.
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

    /// Parses a number of seconds, of any length.
    private static func number(_ text: String) -> Int? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if isNegative { return 0 }
        // Digits that do not fit mean a wait beyond the longest.
        return min(Int(text) ?? longest, longest)
    }

    /// Returns the text without the white space around it. RFC 9110 §5.6.3.
    private static func trimmed(_ text: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = text.utf8.drop(while: isBlank)
        let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(text[bytes.startIndex..<end])
    }
}
