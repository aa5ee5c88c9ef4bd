private import CXXHash

// The only file of this module with `unsafe`. Every load is preceded by a check of its bounds, and every type loaded is
// an integer (all bit patterns valid). No pointer outlives the closure that receives it.

extension RawSpan {
    /// Returns the byte at `offset`, or `nil` past the end.
    func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < byteCount else { return nil }
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Returns the little-endian integer at `offset`, or `nil` when it does not fit.
    func littleEndian<I: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: I.Type) -> I? {
        guard offset >= 0, offset <= byteCount - I.bitWidth / 8 else { return nil }
        return I(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }

    /// Returns the offset of the first byte at or after `start`, 0 or more, that is 0; nil without one.
    func firstZero(from start: Int) -> Int? {
        var offset = start
        while offset <= byteCount - 8 {
            let zeros = zeroBytes(ofWordAt: offset)
            if zeros != 0 { return offset + zeros.trailingZeroBitCount / 8 }
            offset += 8
        }
        if byteCount >= 8, zeroBytes(ofWordAt: byteCount - 8) == 0 { return nil }
        while offset < byteCount {
            if unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) == 0 { return offset }
            offset += 1
        }
        return nil
    }

    /// Returns a number of whose first byte that stands for a zero, and of no byte before it, the highest bit is set, of
    /// the eight bytes at `offset`; 0 where none of them is.
    @inline(__always)
    private func zeroBytes(ofWordAt offset: Int) -> UInt64 {
        let word = UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Returns the XXH64 of the bytes. FORMAT.md, "XXH64".
    package func xxh64(seed: UInt64) -> UInt64 {
        #if DEBUG
        HashedBytes.current?.add(byteCount)
        #endif
        return unsafe withUnsafeBytes { bytes in unsafe larder_xxh64(bytes.baseAddress, bytes.count, seed) }
    }

    /// Returns the text with these bytes as UTF-8, or `nil` when they are not UTF-8.
    package func text() -> String? {
        // Repaired text has other bytes. `String(validating:as:)` is three times as slow.
        let text = unsafe withUnsafeBytes { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
        return text.withUTF8Span { $0.raw.equals(self) } ? text : nil
    }

    /// The same bytes, typed.
    package var bytes: Span<UInt8> {
        @_lifetime(copy self) get { Span<UInt8>(_bytes: self) }
    }

    /// Whether both hold the same bytes.
    package func equals(_ other: RawSpan) -> Bool {
        byteCount == other.byteCount && firstDifference(from: other) == nil
    }

    /// Whether these bytes sort before `other`, as `memcmp` sorts, a prefix first.
    package func lexicographicallyPrecedes(_ other: RawSpan) -> Bool {
        guard let offset = firstDifference(from: other) else { return byteCount < other.byteCount }
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            < other.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Whether these bytes begin with `prefix`.
    package func starts(with prefix: RawSpan) -> Bool {
        byteCount >= prefix.byteCount && firstDifference(from: prefix) == nil
    }

    /// Returns the first offset, within the shorter of both, where the bytes differ.
    private func firstDifference(from other: RawSpan) -> Int? {
        let common = Swift.min(byteCount, other.byteCount)
        var offset = 0
        while offset <= common - 8 {
            if let difference = firstDifference(from: other, inWordAt: offset) { return difference }
            offset += 8
        }
        if offset < common, common >= 8 {
            // The bytes before were the same.
            return firstDifference(from: other, inWordAt: common - 8)
        }
        while offset < common {
            let left = unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            let right = unsafe other.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if left != right { return offset }
            offset += 1
        }
        return nil
    }

    /// As ``firstDifference(from:)``, within the eight bytes at `offset`.
    @inline(__always)
    private func firstDifference(from other: RawSpan, inWordAt offset: Int) -> Int? {
        let left = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let right = unsafe other.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        return left == right ? nil : offset + (left ^ right).littleEndian.trailingZeroBitCount / 8
    }
}

extension MutableRawSpan {
    /// Stores the four bytes of `value`, little-endian, at `offset`, where they must fit.
    mutating func store(littleEndian value: UInt32, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Copies the bytes of `span` to `offset`, where they must fit.
    mutating func copy(_ span: RawSpan, to offset: Int) {
        precondition(offset >= 0 && span.byteCount <= byteCount - offset, "the bytes do not fit")
        unsafe withUnsafeMutableBytes { target in
            unsafe span.withUnsafeBytes { bytes in
                // Both are empty where there is no address.
                guard let address = target.baseAddress, let source = bytes.baseAddress else { return }
                unsafe (address + offset).copyMemory(from: source, byteCount: bytes.count)
            }
        }
    }

    /// Sets every byte to 0.
    mutating func fillWithZeros() {
        for offset in 0..<byteCount { storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
    }
}

extension MutableSpan where Element == UInt8 {
    /// Stores the eight bytes of `value`, big-endian, at `offset`, where they must fit.
    mutating func store(bigEndian value: UInt64, at offset: Int) {
        // Any bytes are elements.
        var bytes = unsafe mutableBytes
        bytes.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Copies the bytes of `span` to `offset`, where they must fit.
    mutating func copy(_ span: RawSpan, to offset: Int) {
        // Any bytes are elements.
        var bytes = unsafe mutableBytes
        bytes.copy(span, to: offset)
    }
}

extension Array where Element == UInt8 {
    /// The array's bytes, without a copy; valid while the array is not changed.
    package var rawSpan: RawSpan {
        @_lifetime(borrow self) get {
            // The slice has the array's own storage. `Array.span` needs macOS 26 and iOS 26.
            let slice = self[...]
            return unsafe _overrideLifetime(slice.span.bytes, borrowing: self)
        }
    }

    /// Lends the array's bytes for changes.
    package mutating func withMutableRawSpan<Result>(_ body: (inout MutableRawSpan) -> Result) -> Result {
        unsafe withUnsafeMutableBytes { bytes in
            var span = unsafe MutableRawSpan(_unsafeBytes: bytes)
            return body(&span)
        }
    }

    /// Copies the bytes of `span`.
    package init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
    }

    /// Appends the bytes of `span`.
    package mutating func append(copying span: RawSpan) {
        unsafe span.withUnsafeBytes { bytes in unsafe append(contentsOf: bytes) }
    }

    /// Appends the eight bytes of `value`, little-endian.
    mutating func append(littleEndian value: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }
}

extension Span where Element == UInt8 {
    /// The same bytes, untyped.
    var raw: RawSpan {
        @_lifetime(copy self) get { unsafe bytes }
    }
}

extension String {
    /// Calls `body` with the UTF-8 of this text, which is copied only where the text is stored otherwise.
    ///
    /// `String.utf8Span` needs macOS 26 and iOS 26.
    func withUTF8Span<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let result = unsafe utf8.withContiguousStorageIfAvailable { bytes in body(unsafe Span(_unsafeElements: bytes)) }
        return result ?? body(Array(utf8).rawSpan.bytes)
    }

    /// Whether both have the same UTF-8: unlike with `==`, canonically equivalent texts differ.
    package func equalsBytewise(_ other: String) -> Bool {
        withUTF8Span { left in other.withUTF8Span { right in left.raw.equals(right.raw) } }
    }

    /// Whether the UTF-8 of this text sorts before that of `other`.
    func precedesBytewise(_ other: String) -> Bool {
        withUTF8Span { left in other.withUTF8Span { right in left.raw.lexicographicallyPrecedes(right.raw) } }
    }

    /// Feeds the UTF-8, and its length, to a hasher.
    package func hashBytewise(into hasher: inout Hasher) {
        withUTF8Span { text in
            hasher.combine(text.count)
            unsafe text.raw.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
        }
    }
}
