import LarderTransport
import Synchronization

extension TransportBody {
    /// Returns a body of the first `count` bytes, then calls `end`, which returns for a clean end, or throws.
    ///
    /// A body that is not longer than `count` bytes calls `end` at its own end.
    func ending(after count: Int, _ end: @escaping @Sendable () async throws(TransportError) -> Void) -> TransportBody {
        let rest = Shared(count)
        return TransportBody(next: { () async throws(TransportError) in
            let wanted = rest.value.withLock { $0 }
            if wanted > 0, let chunk = try await self.nextChunk() {
                let delivered = chunk.prefix(wanted)
                rest.value.withLock { $0 -= delivered.count }
                return Array(delivered)
            }
            try await end()
            return nil
        })
    }

    /// Returns the same bytes with the bits of `mask` changed in the one at `position`.
    func flipping(_ mask: UInt8, at position: Int) -> TransportBody {
        let offset = Shared(0)
        return TransportBody(next: { () async throws(TransportError) in
            guard var chunk = try await self.nextChunk() else { return nil }
            let start = offset.value.withLock { value in
                defer { value += chunk.count }
                return value
            }
            if chunk.indices.contains(position - start) { chunk[position - start] ^= mask }
            return chunk
        })
    }

    /// Returns the same bytes in chunks of `size`, the last one shorter.
    func rechunked(_ size: Int) -> TransportBody {
        precondition(size > 0, "chunks of \(size) bytes")
        let pending = Shared([UInt8]())
        return TransportBody(next: { () async throws(TransportError) in
            while pending.value.withLock({ $0.count < size }), let chunk = try await self.nextChunk() {
                pending.value.withLock { $0 += chunk }
            }
            return pending.value.withLock { bytes in
                let chunk = Array(bytes.prefix(size))
                bytes.removeFirst(chunk.count)
                return chunk.isEmpty ? nil : chunk
            }
        })
    }

    private func nextChunk() async throws(TransportError) -> [UInt8]? {
        let iterator = makeAsyncIterator()
        return try await iterator.next()
    }
}

/// A value under a lock, shared by reference with a body's closure.
private final class Shared<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }
}
