/// A sequence of pieces in the layout of netlink(7): each begins with its length and is padded to four bytes.
///
/// Numbers are in the byte order of the machine. A piece with an invalid length ends the sequence.
struct NetlinkBytes {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var isEmpty: Bool { bytes.isEmpty }

    /// Returns the bytes after the first `count`.
    func dropping(_ count: Int) -> NetlinkBytes {
        NetlinkBytes(bytes.dropFirst(count))
    }

    /// Returns the number `offset` bytes from the front; nil where it would end after the last byte.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        let field = bytes.dropFirst(offset).prefix(size)
        guard field.count == size else { return nil }
        #if _endian(big)
        return field.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        #else
        return field.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        #endif
    }

    /// A piece with the fields of its header.
    struct Piece {
        let kind: UInt16
        let sequence: UInt32
        let body: NetlinkBytes
    }

    /// Removes a message with its header, `struct nlmsghdr`: length at 0 (4 bytes), type at 4, sequence at 8; 16 bytes.
    mutating func popMessage() -> Piece? {
        guard let length = integer(at: 0, as: UInt32.self), let kind = integer(at: 4, as: UInt16.self),
            let sequence = integer(at: 8, as: UInt32.self), let piece = pop(Int(length), header: 16)
        else { return nil }
        return Piece(kind: kind, sequence: sequence, body: piece.dropping(16))
    }

    /// Removes an attribute with its header, `struct rtattr`: length at 0 (2 bytes), type at 2; 4 bytes.
    mutating func popAttribute() -> Piece? {
        guard let length = integer(at: 0, as: UInt16.self), let kind = integer(at: 2, as: UInt16.self),
            let piece = pop(Int(length), header: 4)
        else { return nil }
        // The two high bits of the type are flags: NLA_TYPE_MASK.
        return Piece(kind: kind & 0x3FFF, sequence: 0, body: piece.dropping(4))
    }

    /// Removes a whole `struct rtnexthop`: length at 0 (2 bytes); 8 bytes, then attributes.
    mutating func popNextHop() -> NetlinkBytes? {
        guard let length = integer(at: 0, as: UInt16.self) else { return nil }
        return pop(Int(length), header: 8)
    }

    private mutating func pop(_ length: Int, header: Int) -> NetlinkBytes? {
        guard length >= header, length <= bytes.count else { return nil }
        let piece = NetlinkBytes(bytes.prefix(length))
        // No overflow: the length is at most that of an array. Padding after the last piece may be missing.
        bytes = bytes.dropFirst((length + 3) & ~3)
        return piece
    }
}
