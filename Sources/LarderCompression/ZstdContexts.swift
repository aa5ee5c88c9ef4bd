#if Compression
internal import CZstd
internal import Synchronization

/// A dictionary, prepared for both directions.
@safe
final class ZstdDictionary: @unchecked Sendable {
    // Sendable: libzstd reads prepared dictionaries only, from any number of threads. Owned: made by init, freed by deinit.
    let compressing: OpaquePointer
    let decompressing: OpaquePointer

    /// Prepares the bytes of a dictionary, which are copied; nil where they are none.
    init?(_ content: [UInt8]) {
        // Bytes without a dictionary's header would be used as they are.
        guard unsafe ZSTD_getDictID_fromDict(content, content.count) != 0,
            let decompressing = unsafe ZSTD_createDDict(content, content.count)
        else { return nil }
        guard let compressing = unsafe ZSTD_createCDict(content, content.count, ZstdCodec.level) else {
            unsafe ZSTD_freeDDict(decompressing)
            return nil
        }
        unsafe self.compressing = compressing
        unsafe self.decompressing = decompressing
    }

    deinit {
        unsafe ZSTD_freeCDict(compressing)
        unsafe ZSTD_freeDDict(decompressing)
    }
}

/// A context of libzstd, used by one thread at a time.
@safe
final class ZstdContext: @unchecked Sendable {
    // Sendable: only the call that has removed it from those that wait uses it. Owned: given to init, freed by deinit.
    let handle: OpaquePointer
    private let free: @Sendable (OpaquePointer) -> Void

    /// - Parameter made: the context; nil where there was no memory for it.
    @unsafe
    init(_ made: OpaquePointer?, free: @escaping @Sendable (OpaquePointer) -> Void) {
        // As where memory for an object cannot be allocated.
        guard let handle = unsafe made else { preconditionFailure("libzstd has no memory") }
        unsafe self.handle = handle
        unsafe self.free = free
    }

    deinit { unsafe free(handle) }
}

/// Contexts of one kind that wait to be used.
final class ZstdContexts: Sendable {
    private let waiting = Mutex<[ZstdContext]>([])
    private let make: @Sendable () -> ZstdContext

    /// Those that compress.
    static let compressing = ZstdContexts {
        unsafe ZstdContext(ZSTD_createCCtx()) { context in _ = unsafe ZSTD_freeCCtx(context) }
    }
    /// Those that decompress.
    static let decompressing = ZstdContexts {
        unsafe ZstdContext(ZSTD_createDCtx()) { context in _ = unsafe ZSTD_freeDCtx(context) }
    }

    /// The most contexts that are kept: each has about 100 KB.
    private static let limit = 8

    private init(make: @escaping @Sendable () -> ZstdContext) { self.make = make }

    /// Lends a context to `body`.
    func use<Result>(_ body: (ZstdContext) -> Result) -> Result {
        let context = waiting.withLock { $0.popLast() } ?? make()
        defer {
            waiting.withLock { waiting in
                if waiting.count < Self.limit { waiting.append(context) }
            }
        }
        return body(context)
    }
}
#endif
