/// The rows of a group after ``Store/trainDictionary(for:)``.
public struct CompressionSummary: Hashable, Sendable {
    /// The number of rows, those that wait to be removed included.
    public internal(set) var rows = 0
    /// The number of those that are stored compressed; the others gain too little.
    public internal(set) var compressedRows = 0
    /// The bytes of the values of all of them, plain.
    public internal(set) var plainBytes: Int64 = 0
    /// The bytes of the values as they are stored, before they are encrypted in an encrypted store.
    public internal(set) var storedBytes: Int64 = 0

    mutating func add(plain: Int, stored: Int, isCompressed: Bool) {
        rows += 1
        compressedRows += isCompressed ? 1 : 0
        plainBytes += Int64(plain)
        storedBytes += Int64(stored)
    }
}
