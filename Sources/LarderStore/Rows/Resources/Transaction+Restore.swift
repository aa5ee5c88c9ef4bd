internal import LarderEngine
internal import LarderFormat
internal import Logging

// A resource record that cannot be read must not keep a write from being delivered or a snapshot from coming in. A
// transaction that finds one rebuilds it from the other stored records.

extension Transaction {
    /// Rebuilds the record of a resource: the generations from their own records, the rest by the layers above.
    ///
    /// Rows that were shown are shown again. The path of its snapshot and its pin are lost.
    mutating func restoreRecord(of resource: ResourceKey) throws {
        var record = ResourceRecord()
        for (number, generation) in try tables.generations(of: resource, in: engine) {
            if try tables.isInGarbage(GarbageKey(.stagedGeneration, number), in: engine) {
                record.stagingGeneration = number
                continue
            }
            // Only a damaged file has two; the later one was swapped in last.
            if let old = record.liveGeneration { try discardGeneration(old) }
            record.state = .ready
            record.liveGeneration = number
            record.rowCount = generation.rowCount
            record.byteCount = generation.byteCount
        }
        try restore(&record, of: resource)
        try put(body: record.encode(), in: .resources) { try ResourceRecord.appendKey(resource, to: &$0) }
        effects.changes.addTouched(resource)
        effects.changes.addReplaced(resource)
        if record.overlays > 0 { state(OverlaidChanges.self).resources.insert(resource) }
        shared.host.logger.warning(
            "the record of a resource was damaged and was rebuilt", metadata: ["resource": "\(resource)"])
    }

    /// The place of the visible rows of a resource. A damaged record is rebuilt first.
    mutating func mergedSource(of resource: ResourceKey) throws -> ShownSource {
        if let lastSource, lastSource.rows.owner == resource { return lastSource }
        let found: ShownSource
        do {
            found = try tables.mergedSource(of: resource, in: engine)
        } catch StoreError.damaged {
            try restoreRecord(of: resource)
            found = try tables.mergedSource(of: resource, in: engine)
        }
        lastSource = found
        return found
    }

    /// As ``mergedSource(of:)``, without local writes; nil when there are no rows.
    mutating func rowSource(of resource: ResourceKey) throws -> RowSource? {
        let merged = try mergedSource(of: resource)
        return merged.hasRows ? merged.rows : nil
    }
}

extension Tables {
    /// The generations of a resource that have a readable record, in the order of their numbers.
    fileprivate func generations(
        of resource: ResourceKey, in source: ReadTransaction
    ) throws -> [(number: Int64, record: GenerationRecord)] {
        var found: [(number: Int64, record: GenerationRecord)] = []
        try forEachReadable(.generations, in: source) { key, body throws(FormatError) in
            (try GenerationRecord.decodeKey(key), try GenerationRecord(decoding: body))
        } _: { (generation: (number: Int64, record: GenerationRecord)) in
            if generation.record.owner == resource { found.append(generation) }
        }
        return found
    }
}
