#if Compression
internal import CZstd
internal import LarderStore

/// Zstandard, of the system's library.
final class ZstdCodec: RowCodec {
    /// The only one: contexts are shared by all stores of the process.
    static let shared = ZstdCodec()

    /// The level. With a dictionary, higher ones make rows of a few hundred bytes no smaller, and take four times as long.
    static let level: Int32 = 3

    let plain: any RowCompressor = ZstdCompressor(dictionary: nil)

    private init() {}

    func compressor(dictionary: [UInt8]) -> (any RowCompressor)? {
        ZstdDictionary(dictionary).map { ZstdCompressor(dictionary: $0) }
    }

    func dictionary(from samples: [UInt8], sizes: [Int], limit: Int) -> [UInt8]? {
        var content = [UInt8](repeating: 0, count: limit)
        // The sizes are those of the samples, which lie one behind the other; their sum is not above the count.
        precondition(sizes.reduce(0, +) <= samples.count)
        let size = unsafe ZDICT_trainFromBuffer(&content, limit, samples, sizes, UInt32(clamping: sizes.count))
        if ZDICT_isError(size) != 0 || size > limit { return nil }
        content.removeLast(limit - size)
        return content
    }
}

/// A compressor with a dictionary or without one.
final class ZstdCompressor: RowCompressor {
    private let dictionary: ZstdDictionary?

    init(dictionary: ZstdDictionary?) { self.dictionary = dictionary }

    func compress(_ body: RawSpan, into output: inout MutableRawSpan, at offset: Int) -> Int? {
        ZstdContexts.compressing.use { context in
            unsafe body.withUnsafeBytes { source in
                unsafe output.withUnsafeMutableBytes { bytes in
                    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
                    // Both buffers are valid during the call, and the counts are theirs. The dictionary outlives it.
                    let size =
                        if let dictionary {
                            unsafe ZSTD_compress_usingCDict(
                                context.handle, target.baseAddress, target.count, source.baseAddress, source.count,
                                dictionary.compressing)
                        } else {
                            unsafe ZSTD_compressCCtx(
                                context.handle, target.baseAddress, target.count, source.baseAddress, source.count,
                                ZstdCodec.level)
                        }
                    return ZSTD_isError(size) == 0 ? size : nil
                }
            }
        }
    }

    func decompress(_ frame: RawSpan, into output: inout MutableRawSpan, at offset: Int) -> Bool {
        ZstdContexts.decompressing.use { context in
            unsafe frame.withUnsafeBytes { source in
                unsafe output.withUnsafeMutableBytes { bytes in
                    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
                    // As above.
                    let size =
                        if let dictionary {
                            unsafe ZSTD_decompress_usingDDict(
                                context.handle, target.baseAddress, target.count, source.baseAddress, source.count,
                                dictionary.decompressing)
                        } else {
                            unsafe ZSTD_decompressDCtx(
                                context.handle, target.baseAddress, target.count, source.baseAddress, source.count)
                        }
                    return ZSTD_isError(size) == 0 && size == target.count
                }
            }
        }
    }
}
#endif
