internal import LarderFormat

/// A check that the whole body of a successful answer must pass before it is stored.
///
/// An answer that the program cannot decode, such as a portal page or truncated text, must not replace one that it can.
struct BodyCheck: Sendable {
    /// The longest body that can pass, in bytes.
    let limit: Int
    /// Whether the program can decode the bytes.
    let accepts: @Sendable ([UInt8]) -> Bool
}

/// A body that is collected for its check.
struct CheckedBody {
    private let check: BodyCheck
    private var bytes: [UInt8] = []
    private var isTooLong = false

    init(_ check: BodyCheck) { self.check = check }

    mutating func append(_ more: RawSpan) {
        if bytes.count + more.byteCount > check.limit {
            isTooLong = true
            bytes = []
        } else if !isTooLong {
            bytes.append(copying: more)
        }
    }

    /// Whether the body passes; read once, at its end.
    var isAccepted: Bool { !isTooLong && check.accepts(bytes) }
}
