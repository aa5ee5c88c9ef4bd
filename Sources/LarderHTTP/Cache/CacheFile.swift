internal import LarderEngine
internal import LarderFormat

/// One file of a ``FileCache``: a response and its body.
///
/// Numbers have eight bytes, big-endian. The file begins with a preamble: the word `LARDFIL1`, the size of a slot, the
/// length of the body, and XXH64 (seed 0) of these. Two slots follow, each for a head: XXH64 of the rest, a number that
/// grows, the length of the record, the record (FORMAT.md, "responses"). The valid slot with the higher number counts,
/// and a new head goes into the other one, so that a torn write loses nothing. Then comes the body in blocks of 32 KiB,
/// the last one shorter, each behind its XXH64 with the number of the block as seed.
struct CacheFile {
    static let blockSize = 32_768
    private static let magic = Array("LARDFIL1".utf8)
    private static let preambleSize = 32
    private static let slotHeaderSize = 24
    /// A head may grow to this without the file being written anew.
    private static let smallestSlot = 2048

    let file: FileDescriptor
    let slotSize: Int
    private(set) var byteCount: Int64
    /// The number of the head that counts.
    private(set) var sequence: UInt64

    /// Begins a file for a response whose head is `record`; its body follows by ``append(_:)``.
    init(new file: FileDescriptor, for record: ResponseRecord) {
        self.file = file
        byteCount = 0
        sequence = 0
        slotSize = max(Self.smallestSlot, 2 * (Self.slotHeaderSize + record.encode().count))
    }

    /// Reads a finished file; nil when it is torn, damaged or none of ours.
    static func read(_ file: FileDescriptor) throws -> (file: CacheFile, record: ResponseRecord)? {
        let preamble = try file.read(preambleSize, at: 0)
        guard preamble.count == preambleSize, Array(preamble.prefix(8)) == magic,
            preamble.number(at: 24) == preamble.hash(of: 0..<24),
            let slotSize = Int(exactly: preamble.number(at: 8)), slotSize <= 2 * Limits.responseHead,
            let byteCount = Int64(exactly: preamble.number(at: 16))
        else { return nil }
        var found = CacheFile(file: file, slotSize: slotSize, byteCount: byteCount)
        var record: ResponseRecord?
        for slot in 0..<2 {
            let bytes = try file.read(slotSize, at: found.offset(ofSlot: slot))
            guard let (sequence, head) = Self.head(bytes), sequence > found.sequence else { continue }
            found.sequence = sequence
            record = head
        }
        guard let record, record.byteCount == byteCount, try file.size() == found.fileSize else { return nil }
        return (found, record)
    }

    private init(file: FileDescriptor, slotSize: Int, byteCount: Int64) {
        self.file = file
        self.slotSize = slotSize
        self.byteCount = byteCount
        sequence = 0
    }

    private static func head(_ bytes: [UInt8]) -> (sequence: UInt64, record: ResponseRecord)? {
        guard bytes.count >= slotHeaderSize, let length = Int(exactly: bytes.number(at: 16)),
            length <= bytes.count - slotHeaderSize
        else { return nil }
        let end = slotHeaderSize + length
        guard bytes.number(at: 0) == bytes.hash(of: 8..<end) else { return nil }
        let body = Array(bytes[slotHeaderSize..<end])
        guard let record = try? ResponseRecord(decoding: body.rawSpan) else { return nil }
        return (bytes.number(at: 8), record)
    }

    /// What the file takes, in bytes.
    var fileSize: UInt64 {
        bodyOffset + UInt64(byteCount) + 8 * ((UInt64(byteCount) + UInt64(Self.blockSize) - 1) / UInt64(Self.blockSize))
    }

    private var bodyOffset: UInt64 { UInt64(Self.preambleSize + 2 * slotSize) }

    private func offset(ofSlot slot: Int) -> UInt64 { UInt64(Self.preambleSize + slot * slotSize) }

    private func offset(ofBlock block: Int64) -> UInt64 {
        bodyOffset + UInt64(block) * UInt64(Self.blockSize + 8)
    }
}

// MARK: - Writing

extension CacheFile {
    /// Adds the next block, a whole one unless it is the last.
    mutating func append(_ block: [UInt8]) throws {
        precondition(!block.isEmpty && block.count <= Self.blockSize, "a block of \(block.count) bytes")
        precondition(byteCount % Int64(Self.blockSize) == 0, "a block behind the last one")
        let number = byteCount / Int64(Self.blockSize)
        let hash = block.rawSpan.xxh64(seed: UInt64(number))
        try file.write([UInt8](number: hash) + block, at: offset(ofBlock: number))
        byteCount += Int64(block.count)
    }

    /// Writes preamble and head behind which the body stands already, and waits until all is on the medium.
    mutating func finish(_ record: ResponseRecord) throws {
        var preamble = Self.magic + [UInt8](number: UInt64(slotSize)) + [UInt8](number: UInt64(byteCount))
        preamble += [UInt8](number: preamble.hash(of: 0..<preamble.count))
        try file.write(preamble, at: 0)
        try file.write([UInt8](repeating: 0, count: 2 * slotSize), at: offset(ofSlot: 0))
        guard try put(record) else { preconditionFailure("a slot is twice as large as the head it was made for") }
    }

    /// Puts a new head in place of the one that counts, and waits until it is on the medium.
    ///
    /// - Returns: false when it does not fit.
    mutating func put(_ record: ResponseRecord) throws -> Bool {
        let body = record.encode()
        guard Self.slotHeaderSize + body.count <= slotSize else { return false }
        let rest = [UInt8](number: sequence + 1) + [UInt8](number: UInt64(body.count)) + body
        // The other slot: numbers alternate between the two.
        let slot = Int((sequence + 1) % 2)
        try file.write([UInt8](number: rest.hash(of: 0..<rest.count)) + rest, at: offset(ofSlot: slot))
        try file.sync()
        sequence += 1
        return true
    }
}

// MARK: - Reading

extension CacheFile {
    /// The bytes of a block, verified; nil when they are damaged or missing.
    func block(_ number: Int64) throws -> [UInt8]? {
        let start = number * Int64(Self.blockSize)
        let count = Int(min(Int64(Self.blockSize), byteCount - start))
        let stored = try file.read(8 + count, at: offset(ofBlock: number))
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

    /// The number in the eight bytes from `offset` on, which there have to be.
    fileprivate func number(at offset: Int) -> UInt64 {
        self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// XXH64 of some of the bytes, with seed 0.
    fileprivate func hash(of range: Range<Int>) -> UInt64 { rawSpan.extracting(range).xxh64(seed: 0) }
}
