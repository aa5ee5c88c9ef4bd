internal import LarderFormat

extension RowRange {
    /// The ranges of encoded keys that this range consists of, in ascending order: one, except for a prefix.
    ///
    /// A key that is a decimal number is encoded as a number. The decimal keys that begin with `10` are therefore
    /// several ranges (10, 100 to 109, 1000 to 1099, and so on), before the text keys that begin with it.
    var parts: [RowRange] {
        guard case .prefix(let type, let prefix) = bounds else { return [self] }
        if prefix.isEmpty { return [.type(type, of: resource)] }
        let decimals = Self.decimals(beginningWith: prefix).map { numbers in
            RowRange.keys(
                from: String(numbers.lowerBound), through: String(numbers.upperBound), type: type, of: resource)
        }
        return decimals + [self]
    }

    /// The numbers whose decimal form begins with `prefix`, in ascending order.
    private static func decimals(beginningWith prefix: String) -> [ClosedRange<Int64>] {
        if prefix == "-" { return [.min ... -1] }
        guard let number = RecordKey.canonicalDecimal(prefix) else { return [] }
        if number == 0 { return [0...0] }
        var ranges: [ClosedRange<Int64>] = []
        var nearest = number
        var span: Int64 = 1
        while true {
            // These numbers have as many more digits as `span` has zeros: from the one nearest to 0 to the farthest.
            let (farthest, overflow) = nearest.addingReportingOverflow(number > 0 ? span - 1 : 1 - span)
            let end = overflow ? (number > 0 ? Int64.max : .min) : farthest
            ranges.append(min(nearest, end)...max(nearest, end))
            let (next, isLast) = nearest.multipliedReportingOverflow(by: 10)
            if isLast { break }
            nearest = next
            span *= 10
        }
        return number > 0 ? ranges : ranges.reversed()
    }

    /// Calls `scan` with each part of the range and the number of rows still wanted, until `limit` rows were read.
    ///
    /// - Parameter scan: returns the number of rows it read.
    /// - Returns: the number of rows read in all.
    func forEachPart(
        reversed: Bool, limit: Int, _ scan: (_ part: RowRange, _ limit: Int) throws -> Int
    ) throws -> Int {
        var count = 0
        for part in reversed ? parts.reversed() : parts where count < limit {
            count += try scan(part, limit - count)
        }
        return count
    }
}
