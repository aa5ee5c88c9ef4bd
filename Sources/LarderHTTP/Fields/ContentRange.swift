package import HTTPTypes

/// The bytes of a representation that a 206 carries. RFC 9110 §14.4.
package struct ContentRange: Hashable, Sendable {
    /// The bytes, counted from 0.
    package var range: Range<Int64>
    /// The length of the representation; nil when it is unknown.
    package var total: Int64?

    /// Parses a `Content-Range` value; nil when it is malformed, of another unit, or names no bytes (`*/10`).
    package init?(_ bytes: [UInt8]) {
        var scanner = FieldScanner(FieldScanner.trimmed(bytes))
        guard FieldScanner.lowered(scanner.token()) == Array("bytes".utf8), scanner.consume(0x20),
            let first = RangeRequest.position(scanner.read { (0x30...0x39).contains($0) }), scanner.consume(0x2D),
            let last = RangeRequest.position(scanner.read { (0x30...0x39).contains($0) }), scanner.consume(0x2F),
            first <= last, last < 1 << 62
        else { return nil }
        let length = scanner.read { _ in true }
        if length == [0x2A] {
            total = nil
        } else {
            guard let number = RangeRequest.position(length), number > last else { return nil }
            total = number
        }
        range = first..<(last + 1)
    }

    /// Parses the `Content-Range` of `fields`; nil unless there is exactly one valid line.
    package init?(_ fields: HTTPFields) {
        let lines = fields.lines(of: "content-range")
        guard lines.count == 1 else { return nil }
        self.init(lines[0])
    }

    /// Creates the range of a representation of `total` bytes.
    package init(_ range: Range<Int64>, total: Int64?) {
        self.range = range
        self.total = total
    }

    /// The field value, such as `bytes 4-9/10`.
    package var text: String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map { "\($0)" } ?? "*")"
    }
}
