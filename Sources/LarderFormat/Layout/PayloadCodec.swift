/// The encoding of a row's payload: one byte of the record header.
///
/// FORMAT.md, "Record header". Larder interprets JSON payloads only, as for secondary indexes and merge patches.
public struct PayloadCodec: RawRepresentable, Hashable, Sendable {
    /// The byte that is stored.
    public let rawValue: UInt8

    /// Creates the codec of a byte; `nil` for bytes that the format does not define for payloads.
    public init?(rawValue: UInt8) {
        guard rawValue <= 1 || rawValue >= 16 else { return nil }
        self.rawValue = rawValue
    }

    private init(defined rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes of unknown content.
    public static let opaque = PayloadCodec(defined: 0)
    /// JSON text (RFC 8259) in UTF-8.
    public static let json = PayloadCodec(defined: 1)

    /// Returns a codec that the app defines, 16 to 255. Traps below 16.
    public static func application(_ number: UInt8) -> PayloadCodec {
        precondition(number >= 16, "application codecs are 16 to 255, not \(number)")
        return PayloadCodec(defined: number)
    }
}
