internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Returns a breakdown of the stored bytes, in one view.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for damaged counters; `EngineError`.
    /// - Complexity: reads every record of resources, responses, collections, garbage and outbox; no row and no body.
    public func spaceUse() throws -> SpaceUse {
        try read { view in try view.tables.spaceUse(in: view.transaction, cap: shared.contentCap) }
    }
}

extension ReadView {
    /// The bytes of keys and values of every table but `meta`.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)`` for damaged counters; `EngineError`.
    public borrowing func storedSize() throws -> Int64 { try tables.counters(in: transaction).storedSize }
}

extension Tables {
    /// Returns a breakdown of the stored bytes. Damaged records count as other.
    func spaceUse(
        in source: ReadTransaction, cap: Int64?, isInUse: (ResourceKey) -> Bool = { _ in false },
        isBlobInUse: (Int64) -> Bool = { _ in false }, collectionsInUse: Set<Int64> = []
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
            } else if isBlobInUse(record.blob) {
                use.inUse.addClamped(record.storedBytes)
            } else {
                use.evictable.addClamped(record.storedBytes)
            }
            return true
        }
        try addCollections(to: &use, inUse: collectionsInUse, in: source)
        for number in try garbage(.stagedGeneration, in: source) {
            if let record = try? generation(number, in: source) { use.staging.addClamped(record.byteCount) }
        }
        try forEachReadable(.garbage, in: source) { _, body throws(FormatError) in
            try GarbageRecord(decoding: body)
        } _: { (record: GarbageRecord) in
            use.garbage.addClamped(record.byteCount)
        }
        try source.withCursor(in: outbox) { cursor in
            while let entry = try cursor.next() { use.outbox += Int64(entry.key.byteCount + entry.valueSize) }
        }
        return use
    }

    private func addCollections(to use: inout SpaceUse, inUse: Set<Int64>, in source: ReadTransaction) throws {
        try source.withCursor(in: collections) { cursor in
            while let entry = try cursor.next() {
                let bytes = Int64(entry.key.byteCount + entry.valueSize)
                switch try? CollectionKey(decoding: entry.key) {
                case .membership(_, let number), .record(let number), .chunk(let number, _):
                    if inUse.contains(number) { use.inUse.addClamped(bytes) } else { use.evictable.addClamped(bytes) }
                case .name, .validators, nil: break
                }
            }
        }
    }
}
