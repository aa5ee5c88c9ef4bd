// The only file of this module with `unsafe`: no pointer outlives the closure that receives it.

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
