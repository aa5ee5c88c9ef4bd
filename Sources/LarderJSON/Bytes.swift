// The only file of this module with `unsafe`: no pointer outlives the closure that receives it, and a load is preceded by
// a check of its bounds.

internal import LarderFormat

extension Array where Element == UInt8 {
    /// Copies the bytes of `span`.
    package init(copying span: Span<UInt8>) {
        self = unsafe span.withUnsafeBufferPointer { bytes in unsafe [UInt8](bytes) }
    }

    /// Appends the bytes of `span`.
    mutating func append(copying span: Span<UInt8>) {
        unsafe span.withUnsafeBufferPointer { bytes in unsafe append(contentsOf: bytes) }
    }
}

extension Span where Element == UInt8 {
    /// The text with these bytes, which are valid UTF-8: others would be replaced.
    package var validText: String {
        unsafe withUnsafeBufferPointer { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
    }

    /// Returns the eight bytes from `index` on, the first of them lowest. Traps when there are fewer.
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index <= count - 8, "no eight bytes at \(index)")
        return UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

extension String {
    /// Calls `body` with the UTF-8 of this text, which is copied only where the text is stored otherwise.
    ///
    /// Unlike a generic function of another module, it needs no metadata of types at run time.
    func withUTF8Span(_ body: (Span<UInt8>) -> Void) {
        let done: Void? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
            body(unsafe Span(_unsafeElements: bytes))
        }
        if done == nil { body([UInt8](utf8).rawSpan.bytes) }
    }
}
