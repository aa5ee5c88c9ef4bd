internal import LarderFormat

/// What the whole body of a successful answer has to pass before it is kept.
///
/// An answer that means nothing to the program that asked, such as the page of a captive portal or a text that was cut
/// short, must not take the place of one that does.
struct BodyCheck: Sendable {
    /// The longest body that can pass, in bytes.
    let limit: Int
    /// Whether the bytes mean something.
    let accepts: @Sendable ([UInt8]) -> Bool
}

/// A body that is gathered to be checked.
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

    /// Whether the body passes; asked once, at its end.
    var isAccepted: Bool { !isTooLong && check.accepts(bytes) }
}
