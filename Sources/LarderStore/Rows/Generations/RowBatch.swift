internal import LarderEngine
package import LarderFormat

/// A snapshot being written: a generation that no reader sees yet.
package struct Staging: Sendable {
    /// The resource it will replace.
    package let resource: ResourceKey
    /// Its number.
    package let generation: Int64
    /// Keeps other processes from treating it as abandoned; nil where one transaction writes it and swaps it in.
    let use: OpenerLease.Use?
}

/// Rows of a staged generation, encoded and sealed for the writer thread.
package struct RowBatch: Sendable {
    struct Item: Sendable {
        var keyStart: Int
        var valueStart: Int
        var end: Int
        var checksum: UInt64
    }

    private let source: RowSource
    private var scratch: [UInt8] = []
    var bytes: [UInt8] = []
    var items: [Item] = []

    /// An empty batch for `staging`.
    package init(for staging: Staging) {
        source = RowSource(owner: staging.resource, generation: staging.generation)
    }

    /// The bytes it holds.
    package var byteCount: Int { bytes.count }

    /// The rows it holds.
    package var count: Int { items.count }

    /// Adds a row; of two with one key, the later wins.
    ///
    /// - Parameter updatedAt: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``StoreError/invalid(_:)`` for a key or payload beyond the format's limits.
    package mutating func append(
        _ payload: RawSpan, type: String, key: String, updatedAt: Int64, codec: PayloadCodec = .json
    ) throws(StoreError) {
        try encoding { try Limits.check(payload: payload.byteCount) }
        var encoded = KeyBuffer()
        try source.appendKey(type: type, key: key, to: &encoded)
        Record.seal(
            row: payload, updatedAt: updatedAt, codec: codec, key: encoded.bytes, seed: source.seed, into: &scratch)
        let start = bytes.count
        bytes.append(copying: encoded.bytes)
        let valueStart = bytes.count
        let value = scratch
        bytes.append(copying: value.rawSpan)
        let checksum = try decoding(.rows) { () throws(FormatError) in try Record.checksum(of: scratch.rawSpan) }
        items.append(Item(keyStart: start, valueStart: valueStart, end: bytes.count, checksum: checksum))
    }

    /// Makes space for rows.
    mutating func reserveCapacity(bytes: Int, count: Int) {
        self.bytes.reserveCapacity(bytes)
        items.reserveCapacity(count)
    }

    /// Empties the batch and keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        items.removeAll(keepingCapacity: true)
    }

    /// Sorts the rows by key, those with one key in order of arrival; cheap when they are sorted already.
    mutating func sort() {
        if zip(items, items.dropFirst()).allSatisfy({ !precedes($1, $0) }) { return }
        let positions = items.indices.sorted { left, right in
            if precedes(items[left], items[right]) { return true }
            return !precedes(items[right], items[left]) && left < right
        }
        items = positions.map { items[$0] }
    }

    private func precedes(_ left: Item, _ right: Item) -> Bool {
        let all = bytes.rawSpan
        return all.extracting(left.keyStart..<left.valueStart)
            .lexicographicallyPrecedes(all.extracting(right.keyStart..<right.valueStart))
    }
}
