#if Compression
public import LarderStore

extension StoreCompression {
    /// Compresses rows with Zstandard.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// options.compression = .zstd(groups: ["translations", "tafsirs"])
    /// let store = try Store.open(at: path, options: options)
    /// try store.close()
    /// ```
    ///
    /// - Parameter groups: the groups of the resources whose rows are compressed when they are written. With none, rows
    ///   that are compressed can be read, and new ones are stored plain.
    public static func zstd(groups: Set<String> = []) -> StoreCompression {
        StoreCompression(ZstdCodec.shared, groups: groups)
    }
}
#endif
