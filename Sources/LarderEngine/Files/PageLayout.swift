/// The layout of one page of a tree of LMDB 0.9: its header, the slots of its nodes, and the nodes.
///
/// Offsets are those of `MDB_page` and `MDB_node`.
enum PageLayout {
    /// LMDB: `PAGEHDRSZ`.
    static let headerSize = 16
    /// LMDB: `NODESIZE`.
    static let nodeHeaderSize = 8
    /// LMDB: `MDB_MAXKEYSIZE`.
    static let longestKey = 511

    /// Returns what is wrong with a page as liblmdb would leave it, or nil: then each node is inside the page, no two
    /// overlap, and no byte is between them.
    ///
    /// The order of the keys is not checked. Allocates nothing for pages of 16 KiB and less.
    ///
    /// - Parameters:
    ///   - start: the offset of the page, of which `bytes` has all.
    ///   - size: the size of a page, in bytes.
    static func problem(
        of bytes: RawSpan, at start: Int, size: Int, number: UInt64, isLeaf: Bool
    ) -> String? {
        guard bytes.u64(start) == number else { return "its number is another" }
        guard bytes.u16(start + 10) == (isLeaf ? 0x02 : 0x01) else { return "its kind is another" }
        let (lower, upper) = (Int(bytes.u16(start + 12)), Int(bytes.u16(start + 14)))
        guard lower > headerSize, lower % 2 == 0, lower <= upper, upper <= size else {
            return "its bounds are invalid"
        }
        // A bit for each even offset, where a node may begin.
        return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 128) { words in
            unsafe words.initialize(repeating: 0)
            // The span ends with the closure.
            var starts = unsafe MutableSpan(_unsafeElements: words)
            var (node, nodes) = (upper, 0)
            while node < size {
                switch extent(bytes, start, of: node, size, isLeaf) {
                case .success(let length):
                    starts[node / 128] |= 1 << UInt64(node / 2 % 64)
                    node += length
                    nodes += 1
                case .failure(let problem): return problem.reason
                }
            }
            // liblmdb leaves no gap, and a slot for each node.
            guard node == size, nodes == (lower - headerSize) / 2 else { return "a node is out of place" }
            for slot in stride(from: start + headerSize, to: start + lower, by: 2) {
                let node = Int(bytes.u16(slot))
                let bit: UInt64 = 1 << UInt64(node / 2 % 64)
                guard node % 2 == 0, node < size, starts[node / 128] & bit != 0 else {
                    return "a node is out of place"
                }
                // Each node has one slot.
                starts[node / 128] &= ~bit
            }
            return nil
        }
    }

    private struct Problem: Error {
        let reason: String
    }

    /// Returns the bytes up to the next node.
    private static func extent(
        _ bytes: RawSpan, _ start: Int, of node: Int, _ size: Int, _ isLeaf: Bool
    ) -> Result<Int, Problem> {
        guard node % 2 == 0, node + nodeHeaderSize <= size else {
            return .failure(Problem(reason: "a node is out of place"))
        }
        let (flags, keySize) = (bytes.u16(start + node + 4), Int(bytes.u16(start + node + 6)))
        // A large value, or a tree; no table of ours has several values of a key.
        guard !isLeaf || flags & ~0x03 == 0 else { return .failure(Problem(reason: "a node has unknown flags")) }
        let valueSize = isLeaf ? (flags & 0x01 != 0 ? 8 : Int(bytes.u32(start + node))) : 0
        let end = node + nodeHeaderSize + keySize + valueSize
        guard end <= size, keySize <= longestKey else { return .failure(Problem(reason: "a node is too long")) }
        return .success((end + 1) & ~1 - node)
    }
}

extension RawSpan {
    /// Returns the little-endian number at a byte offset.
    @inline(__always)
    func u16(_ offset: Int) -> UInt16 {
        // The load checks its bounds, and any bytes are a number.
        UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// Returns the little-endian number at a byte offset.
    @inline(__always)
    func u32(_ offset: Int) -> UInt32 {
        // As above.
        UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Returns the little-endian number at a byte offset.
    @inline(__always)
    func u64(_ offset: Int) -> UInt64 {
        // As above.
        UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
