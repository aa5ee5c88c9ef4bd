internal import LarderFormat
internal import Synchronization

/// Writes a response to a temporary file, and installs it in the cache once it is whole.
final class FileResponseWriter: ResponseWriter {
    private struct State {
        var file: CacheFile
        var waiting: [UInt8] = []
        var isEnded = false
    }

    private let cache: FileCache
    private let name: String
    private let record: ResponseRecord
    private let state: Mutex<State>

    init(cache: FileCache, name: String, file: CacheFile, record: ResponseRecord) {
        self.cache = cache
        self.name = name
        self.record = record
        state = Mutex(State(file: file))
    }

    deinit {
        if !state.withLock({ $0.isEnded }) { cache.abandon(name) }
    }

    func append(_ bytes: RawSpan) throws {
        state.withLock { state in
            precondition(!state.isEnded, "the writer is finished or cancelled")
            state.waiting.append(copying: bytes)
        }
    }

    func flush() async throws { try state.withLock { try Self.writeBlocks(&$0) } }

    func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse {
        var record = record
        if let coverage { record.part = ResponseRecord.Part(coverage) }
        do {
            let file = try state.withLock { state in
                state.isEnded = true
                try Self.writeBlocks(&state)
                if !state.waiting.isEmpty { try state.file.append(state.waiting) }
                state.waiting = []
                record.byteCount = state.file.byteCount
                try state.file.finish(record)
                return state.file
            }
            let isStored = try cache.install(file, record, from: name)
            guard var cached = CachedResponse(record, body: cache.body(file, record)) else {
                throw HTTPCacheError.invalidRequest("The response cannot be stored.")
            }
            cached.isStored = isStored
            return cached
        } catch {
            cache.abandon(name)
            throw error
        }
    }

    func cancel() async {
        state.withLock { state in
            state.isEnded = true
            state.waiting = []
        }
        cache.abandon(name)
    }

    /// Writes the waiting bytes that fill whole blocks.
    private static func writeBlocks(_ state: inout State) throws {
        var start = 0
        while state.waiting.count - start >= CacheFile.blockSize {
            try state.file.append(Array(state.waiting[start..<start + CacheFile.blockSize]))
            start += CacheFile.blockSize
        }
        if start > 0 { state.waiting.removeFirst(start) }
    }
}
