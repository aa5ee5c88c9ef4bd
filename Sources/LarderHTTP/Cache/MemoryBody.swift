internal import LarderFormat
internal import Synchronization

/// A body in memory.
struct MemoryBody: BodySource {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int64 { Int64(bytes.count) }

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "\(range) of \(byteCount) bytes")
        if range.isEmpty { return }
        // In range, so both bounds fit into `Int`.
        try body(bytes.rawSpan.extracting(Int(range.lowerBound)..<Int(range.upperBound)))
    }
}

/// Collects a body in memory and stores it once it is whole.
final class MemoryResponseWriter: ResponseWriter {
    private struct State {
        var bytes: [UInt8] = []
        var isEnded = false
    }

    private let state = Mutex(State())
    private let store: @Sendable ([UInt8], StoredResponse.Coverage?) -> CachedResponse

    init(store: @escaping @Sendable ([UInt8], StoredResponse.Coverage?) -> CachedResponse) {
        self.store = store
    }

    func append(_ bytes: RawSpan) {
        state.withLock { state in
            precondition(!state.isEnded, "the writer is finished or cancelled")
            state.bytes.append(copying: bytes)
        }
    }

    func flush() async throws {}

    func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse {
        store(end(), coverage)
    }

    func cancel() async { _ = end() }

    private func end() -> [UInt8] {
        state.withLock { state in
            state.isEnded = true
            defer { state.bytes = [] }
            return state.bytes
        }
    }
}
