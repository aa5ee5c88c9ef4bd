/// A stored part and a new one that together are a larger part, or the whole. RFC 9111 §3.4.
///
/// Where both hold a byte, the new one is taken.
struct BodyJoin: Sendable {
    private let body: any BodySource
    /// The bytes of the stored body before the new ones.
    private let prefix: Range<Int64>
    /// Those behind them.
    private let suffix: Range<Int64>
    /// How many new bytes there must be.
    let newBytes: Int64
    /// How long the result is, in bytes.
    let length: Int64

    /// How many bytes come from the stored body.
    var oldBytes: Int64 { Int64(prefix.count + suffix.count) }

    /// A join, or nil when the two do not meet, or do not make `whole`.
    init?(old: CachedResponse, new: StoredResponse.Coverage, whole: StoredResponse.Coverage) {
        guard case .part(let stored, let total) = old.response.coverage, case .part(let fresh, let newTotal) = new,
            !fresh.isEmpty, stored.lowerBound <= fresh.upperBound, fresh.lowerBound <= stored.upperBound,
            Int64(stored.count) == old.body.byteCount
        else { return nil }
        body = old.body
        let low = min(stored.lowerBound, fresh.lowerBound)
        let high = max(stored.upperBound, fresh.upperBound)
        switch whole {
        case .part(let range, _): guard range == low..<high else { return nil }
        case .whole: guard low == 0, high == newTotal ?? total else { return nil }
        }
        length = high - low
        newBytes = Int64(fresh.count)
        // Positions in the representation, less where the stored body begins in it.
        let start = stored.lowerBound
        prefix = 0..<(max(start, fresh.lowerBound) - start)
        suffix = (min(max(start, fresh.upperBound), stored.upperBound) - start)..<Int64(stored.count)
    }

    /// Gives what lies before the new bytes.
    func writePrefix(_ append: (RawSpan) throws -> Void) throws {
        if !prefix.isEmpty { try body.read(prefix, append) }
    }

    /// Gives what lies behind the new bytes.
    func writeSuffix(_ append: (RawSpan) throws -> Void) throws {
        if !suffix.isEmpty { try body.read(suffix, append) }
    }
}
