#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

/// Short values that were opened lately, so that a record which every read view needs is opened once.
///
/// A value is found by all of its sealed bytes, its key and its table, so what is found is what opening would give.
@safe
struct RecentValues: ~Copyable {
    /// The place of a value: four numbers, then the key, the sealed bytes and the plain ones.
    private typealias Head = (table: UInt32, key: UInt32, sealed: UInt32, plain: UInt32)

    private static let (places, placeSize) = (32, 1024)
    private static let headSize = MemoryLayout<Head>.size

    /// The places; nil until the first value.
    private var memory: UnsafeMutableRawBufferPointer?

    deinit {
        // Allocated by insert, and freed nowhere else.
        unsafe memory?.deallocate()
    }

    /// Returns the plain value, valid until the next insertion, or nil where it is not among these.
    func find(_ sealed: RawSpan, of key: RawSpan, in table: UInt32) -> UnsafeRawBufferPointer? {
        guard let memory = unsafe memory, let offset = Self.offset(of: sealed) else { return nil }
        // Each place is within the memory, and its counts were checked against its size when they were stored.
        let head = unsafe memory.loadUnaligned(fromByteOffset: offset, as: Head.self)
        guard head.sealed == UInt32(sealed.byteCount), head.key == UInt32(key.byteCount), head.table == table else {
            return nil
        }
        let start = offset + Self.headSize
        let (sealedStart, plainStart) = (start + key.byteCount, start + key.byteCount + sealed.byteCount)
        guard unsafe Self.matches(memory, start, key), unsafe Self.matches(memory, sealedStart, sealed) else {
            return nil
        }
        return unsafe UnsafeRawBufferPointer(rebasing: memory[plainStart..<plainStart + Int(head.plain)])
    }

    /// Adds a value in place of another one; a long one is not added.
    mutating func insert(_ plain: UnsafeRawBufferPointer, _ sealed: RawSpan, of key: RawSpan, in table: UInt32) {
        let size = Self.headSize + key.byteCount + sealed.byteCount + plain.count
        guard size <= Self.placeSize, let offset = Self.offset(of: sealed) else { return }
        let memory = unsafe self.memory ?? Self.makeMemory()
        unsafe self.memory = memory
        let head: Head = (table, UInt32(key.byteCount), UInt32(sealed.byteCount), UInt32(plain.count))
        unsafe memory.storeBytes(of: head, toByteOffset: offset, as: Head.self)
        var end = offset + Self.headSize
        // All of it fits the place, by the comparison above.
        unsafe key.withUnsafeBytes { unsafe memory[end...].copyBytes($0) }
        end += key.byteCount
        unsafe sealed.withUnsafeBytes { unsafe memory[end...].copyBytes($0) }
        end += sealed.byteCount
        unsafe memory[end...].copyBytes(plain)
    }

    private static func makeMemory() -> UnsafeMutableRawBufferPointer {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: places * placeSize, alignment: 16)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        return unsafe memory
    }

    /// The place that belongs to a sealed value, by its last byte; nil for an empty one, which an unused place has.
    private static func offset(of sealed: RawSpan) -> Int? {
        let count = sealed.byteCount
        if count == 0 { return nil }
        // The offset is that of the last byte.
        return Int(unsafe sealed.unsafeLoad(fromByteOffset: count - 1, as: UInt8.self)) % places * placeSize
    }

    private static func matches(
        _ memory: UnsafeMutableRawBufferPointer, _ start: Int, _ bytes: RawSpan
    ) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = unsafe memory.baseAddress?.advanced(by: start), let address = bytes.baseAddress
            else { return false }
            return unsafe memcmp(start, address, bytes.count) == 0
        }
    }
}

extension Slice where Base == UnsafeMutableRawBufferPointer {
    /// Copies `bytes`, which must fit, to the beginning.
    fileprivate func copyBytes(_ bytes: UnsafeRawBufferPointer) {
        unsafe UnsafeMutableRawBufferPointer(rebasing: self).copyMemory(from: bytes)
    }
}
