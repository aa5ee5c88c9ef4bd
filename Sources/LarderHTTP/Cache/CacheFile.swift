internal import LarderEngine
internal import LarderFormat

/// One file of a ``FileCache``: a response and its body. It is written once; a changed head needs a new file.
///
/// Numbers have eight bytes, big-endian. The file begins with the word `LARDFIL2`. The body follows in blocks of 32
/// KiB, the last one shorter. In front of each block is its XXH64, with the number of the block as seed. After the body
/// come the record (FORMAT.md, "responses"), its length, and XXH64 (seed 0) of both.
struct CacheFile {
    static let blockSize = 32_768
    private static let magic = Array("LARDFIL2".utf8)
    private static let footerSize = 16

    let file: FileDescriptor
    private(set) var byteCount: Int64 = 0
    /// The size of the file, in bytes; without the record until the file is finished.
    private(set) var fileSize: UInt64

    /// Begins a file; the body follows by ``append(_:)``, then the record by ``finish(_:)``.
    init(new file: FileDescriptor) throws {
        self.file = file
        try file.write(Self.magic, at: 0)
        fileSize = UInt64(Self.magic.count)
    }

    /// Reads a finished file; nil when it is torn, damaged or not of this format.
    static func read(_ file: FileDescriptor) throws -> (file: CacheFile, record: ResponseRecord)? {
        let size = try file.size()
        guard size >= UInt64(magic.count + footerSize), try file.read(magic.count, at: 0) == magic else { return nil }
        let footer = try file.read(footerSize, at: size - UInt64(footerSize))
        guard footer.count == footerSize, let length = Int(exactly: footer.number(at: 0)),
            length <= Limits.responseHead, size >= UInt64(magic.count + length + footerSize)
        else { return nil }
        let place = size - UInt64(length + footerSize)
        let head = try file.read(length + 8, at: place)
        guard head.count == length + 8, head.hash == footer.number(at: 8),
            let record = try? ResponseRecord(decoding: Array(head.prefix(length)).rawSpan),
            // A length within the file cannot overflow the sum.
            (0...Int64(size)).contains(record.byteCount), offset(behind: record.byteCount) == place
        else { return nil }
        return (CacheFile(file: file, byteCount: record.byteCount, fileSize: size), record)
    }

    private init(file: FileDescriptor, byteCount: Int64, fileSize: UInt64) {
        self.file = file
        self.byteCount = byteCount
        self.fileSize = fileSize
    }

    private static func offset(ofBlock block: Int64) -> UInt64 {
        UInt64(magic.count) + UInt64(block) * UInt64(blockSize + 8)
    }

    /// The offset at which a body of `byteCount` bytes ends.
    private static func offset(behind byteCount: Int64) -> UInt64 {
        let blocks = (byteCount + Int64(blockSize) - 1) / Int64(blockSize)
        return UInt64(magic.count) + UInt64(byteCount) + 8 * UInt64(blocks)
    }
}

// MARK: - Writing

extension CacheFile {
    /// Appends the next block, which is a whole one unless it is the last.
    mutating func append(_ block: [UInt8]) throws {
        precondition(!block.isEmpty && block.count <= Self.blockSize, "a block of \(block.count) bytes")
        precondition(byteCount % Int64(Self.blockSize) == 0, "a block behind the last one")
        let number = byteCount / Int64(Self.blockSize)
        let hash = block.rawSpan.xxh64(seed: UInt64(number))
        try file.write([UInt8](number: hash) + block, at: fileSize)
        byteCount += Int64(block.count)
        fileSize += UInt64(8 + block.count)
    }

    /// Writes the record and waits until the file is on the medium. The record must have the body length of the blocks.
    mutating func finish(_ record: ResponseRecord) throws {
        let body = record.encode()
        let head = body + [UInt8](number: UInt64(body.count))
        try file.write(head + [UInt8](number: head.hash), at: fileSize)
        try file.sync()
        fileSize += UInt64(head.count + 8)
    }
}

// MARK: - Reading

extension CacheFile {
    /// Returns the verified bytes of a block; nil when they are damaged or missing.
    func block(_ number: Int64) throws -> [UInt8]? {
        let start = number * Int64(Self.blockSize)
        let count = Int(min(Int64(Self.blockSize), byteCount - start))
        let stored = try file.read(8 + count, at: Self.offset(ofBlock: number))
        guard stored.count == 8 + count else { return nil }
        let block = Array(stored.dropFirst(8))
        guard block.rawSpan.xxh64(seed: UInt64(number)) == stored.number(at: 0) else { return nil }
        return block
    }
}

extension [UInt8] {
    /// A number in eight bytes, big-endian.
    fileprivate init(number: UInt64) {
        self = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }

    /// Returns the number in the eight bytes from `offset` on; traps when there are fewer.
    fileprivate func number(at offset: Int) -> UInt64 {
        self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// XXH64 with seed 0.
    fileprivate var hash: UInt64 { rawSpan.xxh64(seed: 0) }
}
