/// Memory for values, given out piece by piece and taken back as a whole.
@safe
struct ValueMemory: ~Copyable {
    private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
    private var used = 0

    /// The size of the first chunk, and the most bytes that are kept for the next use.
    private static let (firstChunk, longestKept) = (4096, 256 << 10)

    deinit {
        // Allocated below, and freed nowhere else than in reset, which forgets them.
        unsafe chunks.forEach { chunk in unsafe chunk.deallocate() }
    }

    /// Returns `count` bytes that nothing else uses until the next reset.
    mutating func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if let last = unsafe chunks.last, last.count - used >= count {
            defer { used += count }
            return unsafe UnsafeMutableRawBufferPointer(rebasing: last[used..<used + count])
        }
        let size = max(count, Self.firstChunk, unsafe 2 * (chunks.last?.count ?? 0))
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: min(size, max(count, 4 << 20)), alignment: 16)
        unsafe chunks.append(chunk)
        used = count
        return unsafe UnsafeMutableRawBufferPointer(rebasing: chunk[0..<count])
    }

    /// Takes back all that was given out, and frees all but one chunk.
    mutating func reset() {
        used = 0
        if unsafe chunks.count <= 1, unsafe chunks.first?.count ?? 0 <= Self.longestKept { return }
        let kept = unsafe chunks.last { $0.count <= Self.longestKept }
        unsafe chunks.forEach { chunk in
            if unsafe chunk.baseAddress != kept?.baseAddress { unsafe chunk.deallocate() }
        }
        unsafe chunks = unsafe kept.map { unsafe [$0] } ?? []
    }
}
