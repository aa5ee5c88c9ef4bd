package import HTTPTypes

/// The part of a representation that is requested. RFC 9110 §14.1.2, §14.2.
package enum RangeRequest: Hashable, Sendable {
    /// All bytes: no `Range`, one of another unit, or one that cannot be parsed and is therefore ignored.
    case whole
    /// The bytes from a first one to a last one; nil for the end.
    case from(Int64, last: Int64?)
    /// A number of bytes at the end.
    case suffix(Int64)
    /// More than one range.
    case several

    /// The range of a GET; other methods request all bytes.
    package init(_ request: HTTPRequest) {
        guard request.method == .get, let bytes = request.headerFields.combined("range") else {
            self = .whole
            return
        }
        self.init(bytes)
    }

    /// Parses a `Range` value.
    package init(_ bytes: [UInt8]) {
        self = .whole
        var scanner = FieldScanner(bytes)
        scanner.skipSpace()
        guard FieldScanner.lowered(scanner.token()) == Array("bytes".utf8), scanner.consume(0x3D) else { return }
        var found: RangeRequest?
        while scanner.skipToMember() {
            guard let range = Self.member(&scanner) else { return }
            found = found == nil ? range : .several
        }
        self = found ?? .whole
    }

    /// Returns the requested bytes of a representation of `total` bytes; nil when it has none of them.
    ///
    /// Only a single range is resolved: ``whole`` and ``several`` are all bytes.
    package func resolved(total: Int64) -> Range<Int64>? {
        switch self {
        case .whole, .several: return 0..<total
        case .from(let first, let last):
            guard first < total else { return nil }
            return first..<(last.map { min($0, total - 1) + 1 } ?? total)
        case .suffix(let count):
            guard count > 0, total > 0 else { return nil }
            return max(total - count, 0)..<total
        }
    }

    private static func member(_ scanner: inout FieldScanner) -> RangeRequest? {
        let first = scanner.read { (0x30...0x39).contains($0) }
        guard scanner.consume(0x2D) else { return nil }
        let last = scanner.read { (0x30...0x39).contains($0) }
        guard scanner.isAtMemberEnd() else { return nil }
        guard let start = position(first) else { return position(last).map(RangeRequest.suffix) }
        guard let end = position(last) else { return .from(start, last: nil) }
        return start <= end ? .from(start, last: end) : nil
    }

    /// Returns the number that the digits are, at most 2^62; nil for none, or for other bytes.
    package static func position(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        let limit: Int64 = 1 << 62
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            // A number below 2^62 / 10 can have one more digit.
            value = value >= limit / 10 ? limit : value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
