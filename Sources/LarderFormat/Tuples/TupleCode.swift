/// The first byte of each element.
///
/// FORMAT.md, "Elements". The bytewise order of the codes is the order of the kinds.
enum TupleCode {
    static let null: UInt8 = 0x00
    static let decimal: UInt8 = 0x01
    static let text: UInt8 = 0x02
    static let bytes: UInt8 = 0x03
    /// A negative integer of eight bytes, the longest; the codes of shorter ones follow.
    static let firstInteger: UInt8 = 0x0C
    static let zero: UInt8 = 0x14
    /// A positive integer of eight bytes, the longest.
    static let lastInteger: UInt8 = 0x1C
    static let no: UInt8 = 0x26
    static let yes: UInt8 = 0x27
    static let uuid: UInt8 = 0x30

    /// The byte that follows a zero byte inside text or bytes; no element begins with it.
    static let escape: UInt8 = 0xFF
    /// The byte that ends text and bytes.
    static let terminator: UInt8 = 0x00
}
