/// The compression of the rows of a store.
///
/// The module `LarderCompression` makes it. Rows of the named groups are stored compressed where that saves at least an
/// eighth of them, and are read as before, with every other row. Small rows need a dictionary, which
/// ``Store/trainDictionary(for:)`` makes of the rows that are stored.
///
/// ```swift
/// var options = StoreOptions()
/// options.compression = .zstd(groups: ["translations"])
/// let store = try Store.open(at: path, options: options)
/// try store.close()
/// ```
public struct StoreCompression: Hashable, Sendable {
    package let codec: any RowCodec
    /// The groups of the resources whose rows are compressed when they are written.
    public let groups: Set<String>

    package init(_ codec: any RowCodec, groups: Set<String>) {
        self.codec = codec
        self.groups = groups
    }

    /// Whether both have the same algorithm and the same groups.
    public static func == (left: Self, right: Self) -> Bool {
        left.codec === right.codec && left.groups == right.groups
    }

    /// Feeds the algorithm and the groups to `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(codec))
        hasher.combine(groups)
    }
}

/// An algorithm that compresses rows.
package protocol RowCodec: AnyObject, Sendable {
    /// The compressor without a dictionary.
    var plain: any RowCompressor { get }

    /// Returns the compressor with a dictionary; nil for bytes that are none.
    func compressor(dictionary: [UInt8]) -> (any RowCompressor)?

    /// Makes a dictionary of samples; nil where they are too few to learn from.
    ///
    /// - Parameters:
    ///   - samples: the samples, one behind the other.
    ///   - sizes: the size of each.
    ///   - limit: the most bytes of the dictionary.
    func dictionary(from samples: [UInt8], sizes: [Int], limit: Int) -> [UInt8]?
}

/// A compressor of rows, with a dictionary or without one.
package protocol RowCompressor: AnyObject, Sendable {
    /// Writes the frame of `body` to `output` from `offset` on.
    ///
    /// - Returns: the size of the frame; nil where it does not fit, and `output` may be changed.
    func compress(_ body: RawSpan, into output: inout MutableRawSpan, at offset: Int) -> Int?

    /// Fills `output` from `offset` to its end with the content of a frame.
    ///
    /// - Returns: false where the frame has another content, or is damaged; `output` may be changed.
    func decompress(_ frame: RawSpan, into output: inout MutableRawSpan, at offset: Int) -> Bool
}
