internal import LarderEngine
internal import LarderFormat

/// What the stored bytes are spent on: keys and values of every table but `meta`.
public struct SpaceUse: Hashable, Sendable {
    /// All of them.
    public internal(set) var stored: Int64 = 0
    /// The most that may be stored; nil for any number.
    public internal(set) var cap: Int64?
    /// Rows, responses and collections that may be evicted.
    public internal(set) var evictable: Int64 = 0
    /// Rows of pinned resources, and pinned responses.
    public internal(set) var pinned: Int64 = 0
    /// Rows of resources with local changes that are not confirmed yet.
    public internal(set) var overlaid: Int64 = 0
    /// Rows of resources whose new full copy is being written, and what the write in question itself changes or keeps.
    public internal(set) var inUse: Int64 = 0
    /// Rows of full copies being written.
    public internal(set) var staging: Int64 = 0
    /// What was replaced and is not removed yet.
    public internal(set) var garbage: Int64 = 0
    /// Writes that wait to be sent.
    public internal(set) var outbox: Int64 = 0

    /// Everything else: what is known of resources and filters, tokens, local changes, the journal.
    public var other: Int64 {
        let known = [evictable, pinned, overlaid, inUse, staging, garbage, outbox].reduce(Int64(0)) {
            $0.clampedSum($1)
        }
        return max(0, stored - known)
    }

    /// The most that could be stored if everything went that may; nil without a cap.
    public var available: Int64? { cap.map { max(0, ($0 - stored).clampedSum(evictable.clampedSum(garbage))) } }
}

/// Why a write does not fit: room could not be made for it.
public struct SpaceShortage: Hashable, Sendable {
    /// The most that may be stored, in bytes.
    public let cap: Int64
    /// The bytes that the write adds.
    public let needed: Int64
    /// The bytes still missing when everything that may go had gone.
    public let missing: Int64
    /// The bytes that had gone, and came back with the write's failure.
    public let evictable: Int64
    /// What holds the rest, the write itself included.
    public let use: SpaceUse
}

extension Store {
    /// What the stored bytes are spent on, in one snapshot.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``EngineError``.
    /// - Complexity: reads every record of resources, responses, collections, generations and outbox; no row and no body.
    public func spaceUse() throws -> SpaceUse {
        try read { view in try view.tables.spaceUse(in: view.transaction, cap: shared.sizeCap) }
    }
}

extension ReadView {
    /// The bytes of keys and values of every table but `meta`.
    public borrowing func storedSize() throws -> Int64 { try tables.counters(in: transaction).storedSize }
}

extension Tables {
    /// What the stored bytes are spent on. Damaged records count as other.
    func spaceUse<Source: TableReader & ~Copyable>(
        in source: borrowing Source, cap: Int64?, isInUse: (ResourceKey) -> Bool = { _ in false },
        isNamedNow: (Int64) -> Bool = { _ in false }, collectionsInUse: Set<Int64> = []
    ) throws -> SpaceUse {
        var use = SpaceUse()
        use.cap = cap
        use.stored = try counters(in: source).storedSize
        try forEachReadable(.resources, in: source) { key, body throws(FormatError) in
            let resource = try ResourceRecord.decodeKey(key)
            let record = try ResourceRecord(decoding: body)
            return (resource, record)
        } _: { (resource: ResourceKey, record: ResourceRecord) in
            if record.overlays > 0 {
                use.overlaid.addClamped(record.byteCount)
            } else if record.isPinned {
                use.pinned.addClamped(record.byteCount)
            } else if record.stagingGeneration != nil || isInUse(resource) {
                use.inUse.addClamped(record.byteCount)
            } else {
                use.evictable.addClamped(record.byteCount)
            }
        }
        try forEachResponse(from: ResponseKey.responses, in: source) { _, record in
            guard let record else { return true }
            if record.isPinned {
                use.pinned.addClamped(record.storedBytes)
            } else if isNamedNow(record.blob) {
                use.inUse.addClamped(record.storedBytes)
            } else {
                use.evictable.addClamped(record.storedBytes)
            }
            return true
        }
        try addCollections(to: &use, inUse: collectionsInUse, in: source)
        try forEachReadable(.generations, in: source) { _, body throws(FormatError) in
            try GenerationRecord(decoding: body)
        } _: { (record: GenerationRecord) in
            switch record.state {
            case .live: break
            case .staging: use.staging.addClamped(record.byteCount)
            case .garbage: use.garbage.addClamped(record.byteCount)
            }
        }
        for number in try blobs(in: .garbage, source) {
            if let record = try? blob(number, in: source) { use.garbage.addClamped(record.byteCount) }
        }
        try source.withReadCursor(in: outbox) { cursor in
            while let entry = try cursor.next() { use.outbox += Int64(entry.key.byteCount + entry.value.byteCount) }
        }
        return use
    }

    private func addCollections<Source: TableReader & ~Copyable>(
        to use: inout SpaceUse, inUse: Set<Int64>, in source: borrowing Source
    ) throws {
        try source.withReadCursor(in: collections) { cursor in
            while let entry = try cursor.next() {
                let bytes = Int64(entry.key.byteCount + entry.value.byteCount)
                switch try? CollectionKey(decoding: entry.key) {
                case .holder(_, let number), .record(let number), .chunk(let number, _):
                    if inUse.contains(number) { use.inUse.addClamped(bytes) } else { use.evictable.addClamped(bytes) }
                case .name, .single, nil: break
                }
            }
        }
    }

    /// Calls `body` with what can be read of a table; damaged records are passed over.
    func forEachReadable<Source: TableReader & ~Copyable, Value>(
        _ name: TableName, in source: borrowing Source,
        _ decode: (_ key: RawSpan, _ body: RawSpan) throws(FormatError) -> Value, _ body: (Value) throws -> Void
    ) throws {
        try source.withReadCursor(in: self[name]) { cursor in
            while let entry = try cursor.next() {
                let value = try? decoding(name) { () throws(FormatError) in
                    try decode(entry.key, try Record.open(entry.value, key: entry.key, seed: name.seed))
                }
                if let value { try body(value) }
            }
        }
    }
}
