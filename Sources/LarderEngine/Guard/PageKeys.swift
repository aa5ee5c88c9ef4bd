/// The keys of a page, for the comparisons of a search.
@unsafe
struct PageKeys {
    private let start: UnsafeRawPointer
    /// The bytes of the file from the page on.
    private let limit: Int

    /// - Parameter count: the number of nodes, whose slots are in the file.
    @inline(__always)
    init(start: UnsafeRawPointer, limit: Int, count: Int) {
        precondition(count >= 0 && PageLayout.headerSize + 2 * count <= limit, "a page outside the file")
        unsafe self.start = start
        unsafe self.limit = limit
    }

    /// Compares the key of a node with another key, as ``order(_:_:_:_:)``.
    ///
    /// Its place is compared with the end of the file, because the page may have been changed since it was checked.
    @inline(__always)
    func order(_ index: Int, _ key: UnsafeRawPointer, _ keySize: Int) -> Int {
        let node = unsafe number(PageLayout.headerSize &+ 2 &* index)
        precondition(unsafe node &+ PageLayout.nodeHeaderSize <= limit, "a node outside the file")
        let size = unsafe number(node &+ 6)
        precondition(unsafe node &+ PageLayout.nodeHeaderSize &+ size <= limit, "a key outside the file")
        return unsafe Self.order(start + (node &+ PageLayout.nodeHeaderSize), size, key, keySize)
    }

    @inline(__always)
    private func number(_ offset: Int) -> Int {
        Int(UInt16(littleEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// Returns a negative number where the first bytes sort before the second, 0 for the same, a positive one otherwise;
    /// as `memcmp`, a prefix first. A call of that takes longer than a comparison of keys.
    @inline(__always)
    static func order(_ left: UnsafeRawPointer, _ leftSize: Int, _ right: UnsafeRawPointer, _ rightSize: Int) -> Int {
        let common = min(leftSize, rightSize)
        var offset = 0
        while offset <= common &- 8 {
            let order = unsafe wordOrder(left + offset, right + offset)
            if order != 0 { return order }
            offset = offset &+ 8
        }
        if offset < common, common >= 8 {
            // The bytes before were the same.
            let order = unsafe wordOrder(left + (common &- 8), right + (common &- 8))
            if order != 0 { return order }
        } else {
            while offset < common {
                let first = unsafe left.load(fromByteOffset: offset, as: UInt8.self)
                let second = unsafe right.load(fromByteOffset: offset, as: UInt8.self)
                if first != second { return first < second ? -1 : 1 }
                offset = offset &+ 1
            }
        }
        return leftSize &- rightSize
    }

    /// Compares eight bytes.
    @inline(__always)
    private static func wordOrder(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Int {
        let (first, second) = unsafe (left.loadUnaligned(as: UInt64.self), right.loadUnaligned(as: UInt64.self))
        if first == second { return 0 }
        return UInt64(bigEndian: first) < UInt64(bigEndian: second) ? -1 : 1
    }
}
