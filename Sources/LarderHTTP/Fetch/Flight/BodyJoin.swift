/// A stored part and a new one that together are a larger part, or the whole. RFC 9111 §3.4.
///
/// Where both hold a byte, the new one is used.
struct BodyJoin: Sendable {
    private let body: any BodySource
    /// The range in the stored body before the new bytes.
    private let prefix: Range<Int64>
    /// The range in the stored body behind the new bytes.
    private let suffix: Range<Int64>
    /// The required number of new bytes.
    let newBytes: Int64
    /// The length of the result, in bytes.
    let length: Int64

    /// The number of bytes from the stored body.
    var oldBytes: Int64 { Int64(prefix.count + suffix.count) }

    /// Creates a join; nil when the two parts do not meet, or do not make `whole`.
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
        // Positions in the representation, minus the offset of the stored body in it.
        let start = stored.lowerBound
        prefix = 0..<(max(start, fresh.lowerBound) - start)
        suffix = (min(max(start, fresh.upperBound), stored.upperBound) - start)..<Int64(stored.count)
    }

    /// Passes the stored bytes before the new ones to `append`.
    func writePrefix(_ append: (RawSpan) throws -> Void) throws {
        if !prefix.isEmpty { try body.read(prefix, append) }
    }

    /// Passes the stored bytes behind the new ones to `append`.
    func writeSuffix(_ append: (RawSpan) throws -> Void) throws {
        if !suffix.isEmpty { try body.read(suffix, append) }
    }
}
