#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// A copy of one page of a tree of LMDB 0.9, whose layout is checked as ``PageLayout`` says.
struct TreePage {
    static let headerSize = PageLayout.headerSize
    static let nodeHeaderSize = PageLayout.nodeHeaderSize
    static let longestKey = PageLayout.longestKey

    let number: UInt64
    let bytes: [UInt8]
    let isLeaf: Bool
    /// The offsets of the nodes, in the order of their keys.
    let nodes: [Int]

    /// Reads a page of the file.
    ///
    /// - Throws: ``EngineError/damagedPage(number:reason:)`` for an invalid page; the errors of a read.
    init(_ number: UInt64, isLeaf: Bool, pageSize: UInt64, end: UInt64, _ file: FileDescriptor) throws(EngineError) {
        guard number >= 2, number < end else {
            throw .damagedPage(number: number, reason: "a page is named that the file does not have")
        }
        let bytes = try file.read(Int(pageSize), ofPage: number, pageSize)
        guard bytes.count == Int(pageSize) else { throw .damagedPage(number: number, reason: "it is cut short") }
        try self.init(bytes, number: number, isLeaf: isLeaf)
    }

    init(_ bytes: [UInt8], number: UInt64, isLeaf: Bool) throws(EngineError) {
        let problem = unsafe bytes.withUnsafeBytes { bytes in
            // The span ends with the closure.
            PageLayout.problem(
                of: unsafe RawSpan(_unsafeBytes: bytes), at: 0, size: bytes.count, number: number, isLeaf: isLeaf)
        }
        if let problem { throw .damagedPage(number: number, reason: problem) }
        (self.number, self.bytes, self.isLeaf) = (number, bytes, isLeaf)
        nodes = stride(from: Self.headerSize, to: Int(bytes.u16(12)), by: 2).map { Int(bytes.u16($0)) }
    }

    /// The range of a node's key.
    func key(_ node: Int) -> Range<Int> {
        let start = node + Self.nodeHeaderSize
        return start..<start + Int(bytes.u16(node + 6))
    }

    /// The page below a node of a branch page.
    func child(_ node: Int) -> UInt64 { UInt64(bytes.u32(node)) | UInt64(bytes.u16(node + 4)) << 32 }

    /// Whether a leaf's value is in pages of its own. LMDB: `F_BIGDATA`.
    func isLarge(_ node: Int) -> Bool { bytes.u16(node + 4) & 0x01 != 0 }

    /// Whether a leaf's value describes a tree. LMDB: `F_SUBDATA`.
    func isTree(_ node: Int) -> Bool { bytes.u16(node + 4) & 0x02 != 0 }

    /// The size of a leaf's value, in bytes.
    func valueSize(_ node: Int) -> UInt64 { UInt64(bytes.u32(node)) }

    /// The bytes in the leaf for a value: the value itself, or the number of the page where it begins.
    func stored(_ node: Int) -> ArraySlice<UInt8> {
        let start = key(node).upperBound
        return bytes[start..<start + (isLarge(node) ? 8 : Int(bytes.u32(node)))]
    }
}

extension FileDescriptor {
    /// Returns up to `count` bytes of a page and of those behind it, from `offset` on; fewer at the end of the file.
    ///
    /// - Throws: ``EngineError/damagedPage(number:reason:)`` where the medium does not return them; another error of the
    ///   system.
    func read(
        _ count: Int, ofPage number: UInt64, from offset: UInt64 = 0, _ pageSize: UInt64
    ) throws(EngineError) -> [UInt8] {
        do throws(EngineError) {
            // A second read shows whether the medium was only disturbed.
            if let bytes = try? read(count, at: number * pageSize + offset) { return bytes }
            return try read(count, at: number * pageSize + offset)
        } catch .ioFailure {
            throw .damagedPage(number: number, reason: "the medium does not return it")
        }
    }
}

/// The order of the keys of a tree.
enum KeyOrder {
    /// Byte by byte, a prefix first.
    case bytes
    /// As numbers of eight bytes. LMDB: `MDB_INTEGERKEY`.
    case numbers

    /// Whether one key sorts before another. Ranges are in bounds.
    func precedes(_ left: [UInt8], _ leftKey: Range<Int>, _ right: [UInt8], _ rightKey: Range<Int>) -> Bool {
        if case .numbers = self, leftKey.count == 8, rightKey.count == 8 {
            return left.u64(leftKey.lowerBound) < right.u64(rightKey.lowerBound)
        }
        let count = min(leftKey.count, rightKey.count)
        if count == 0 { return leftKey.count < rightKey.count }
        precondition(leftKey.upperBound <= left.count && rightKey.upperBound <= right.count)
        let order = unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                // In bounds by the precondition.
                unsafe memcmp(
                    left.baseAddress! + leftKey.lowerBound, right.baseAddress! + rightKey.lowerBound, count)
            }
        }
        return order < 0 || (order == 0 && leftKey.count < rightKey.count)
    }
}
