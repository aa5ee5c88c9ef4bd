// Datagram: makes messages in the layout of rtnetlink(7).

/// Makes messages in the layout of rtnetlink(7).
enum Datagram {
    static let sequence: UInt32 = 7

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        let little = (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        #if _endian(big)
        return little.reversed()
        #else
        return little
        #endif
    }

    static func message(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        let head = bytes(UInt32(16 + body.count)) + bytes(type) + bytes(UInt16(2)) + bytes(sequence) + bytes(UInt32(0))
        return padded(head + body)
    }

    static func done(outcome: Int32 = 0) -> [UInt8] {
        message(3, bytes(outcome))
    }

    /// Up, running, broadcast and multicast unless `flags` says otherwise.
    static func link(_ index: Int32, flags: UInt32 = 0x11043) -> [UInt8] {
        message(
            16, [0, 0, 1, 0] + bytes(index) + bytes(flags) + bytes(UInt32(0)) + attribute(3, Array("eth\0\0".utf8)))
    }

    static func route(family: UInt8 = 2, prefix: UInt8 = 0, type: UInt8 = 1, over link: Int32) -> [UInt8] {
        route(
            family: family, prefix: prefix, type: type,
            attributes: attribute(15, bytes(UInt32(254))) + attribute(4, bytes(link)))
    }

    static func route(family: UInt8 = 2, prefix: UInt8 = 0, type: UInt8 = 1, attributes: [UInt8]) -> [UInt8] {
        message(24, [family, prefix, 0, 0, 254, 3, 0, type] + bytes(UInt32(0)) + attributes)
    }

    static func attribute(_ type: UInt16, _ body: [UInt8]) -> [UInt8] {
        padded(bytes(UInt16(4 + body.count)) + bytes(type) + body)
    }

    /// A next hop with its gateway behind it.
    static func hop(_ link: Int32) -> [UInt8] {
        bytes(UInt16(16)) + [0, 0] + bytes(link) + attribute(5, [192, 0, 2, 1])
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: -bytes.count & 3)
    }
}
