package import HTTPTypes

/// The part of a representation that a request asks for. RFC 9110 §14.1.2, §14.2.
package enum RangeRequest: Hashable, Sendable {
    /// All of it: no `Range`, one of another unit, or one that cannot be understood, which is to be ignored.
    case whole
    /// From a first byte, to a last one (nil: to the end).
    case from(Int64, last: Int64?)
    /// So many bytes at the end.
    case suffix(Int64)
    /// More than one range.
    case several

    /// What the `Range` of a GET asks for; other methods ask for all.
    package init(_ request: HTTPRequest) {
        guard request.method == .get, let bytes = request.headerFields.combined("range") else {
            self = .whole
            return
        }
        self.init(bytes)
    }

    /// What a `Range` value asks for.
    package init(_ bytes: [UInt8]) {
        self = .whole
        var scanner = FieldScanner(bytes)
        scanner.skipSpace()
        guard FieldScanner.lowered(scanner.token()) == Array("bytes".utf8), scanner.take(0x3D) else { return }
        var found: RangeRequest?
        while scanner.skipToMember() {
            guard let range = Self.member(&scanner) else { return }
            found = found == nil ? range : .several
        }
        self = found ?? .whole
    }

    /// The bytes meant of a representation of `total` bytes; nil when there are none of them.
    ///
    /// For a single range only: all for ``whole`` and ``several``.
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
        let first = scanner.run { (0x30...0x39).contains($0) }
        guard scanner.take(0x2D) else { return nil }
        let last = scanner.run { (0x30...0x39).contains($0) }
        guard scanner.isAtMemberEnd() else { return nil }
        guard let start = position(first) else { return position(last).map(RangeRequest.suffix) }
        guard let end = position(last) else { return .from(start, last: nil) }
        return start <= end ? .from(start, last: end) : nil
    }

    /// Digits as a number, at most 2^62; nil without any.
    package static func position(_ digits: [UInt8]) -> Int64? {
        guard !digits.isEmpty else { return nil }
        let limit: Int64 = 1 << 62
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            // Below 2^62 / 10 there is room for one more digit.
            value = value >= limit / 10 ? limit : value * 10 + Int64(digit - 0x30)
        }
        return value
    }
}
