/// The name of a blob: its number and its length, as stated by the record that refers to it.
public struct Blob: Hashable, Sendable {
    /// The number of the blob; no number is used twice.
    public let number: Int64
    /// The length of the blob in bytes, 0 or more.
    public let byteCount: Int64

    /// The blob of this number and length.
    package init(number: Int64, byteCount: Int64) {
        self.number = number
        self.byteCount = byteCount
    }
}
