/// The encoding of a row's own key: numbers as numbers, all else as text.
///
/// FORMAT.md, "Record keys".
package enum RecordKey {
    /// Returns the number of which `text` is the one canonical decimal form, or `nil`.
    ///
    /// The canonical form of a signed 64-bit integer is `0`, or digits without leading zeros, with `-` in front of a
    /// negative. `+1`, `01` and `-0` are text.
    package static func canonicalDecimal(_ text: String) -> Int64? {
        text.withUTF8Span { number($0) }
    }

    private static func number(_ digits: Span<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.count <= 20 else { return nil }
        let isNegative = digits[0] == 0x2D
        let start = isNegative ? 1 : 0
        guard start < digits.count else { return nil }
        if digits[start] == 0x30 { return digits.count == 1 ? 0 : nil }
        if digits.count <= 18 {
            // No number of so few digits is out of range.
            var value: Int64 = 0
            for offset in start..<digits.count {
                let digit = digits[offset] &- 0x30
                guard digit <= 9 else { return nil }
                value = value &* 10 &+ Int64(digit)
            }
            return isNegative ? -value : value
        }
        // Counted below zero, where the range has one more value.
        var value: Int64 = 0
        for offset in start..<digits.count {
            let digit = digits[offset]
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, underflow) = tens.subtractingReportingOverflow(Int64(digit - 0x30))
            if overflow || underflow { return nil }
            value = next
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// Whether `left` is encoded before `right`: numbers by value, then texts by their bytes.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        switch (canonicalDecimal(left), canonicalDecimal(right)) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.precedesBytewise(right)
        }
    }
}
