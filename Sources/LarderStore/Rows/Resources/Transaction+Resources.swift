internal import LarderEngine
public import LarderFormat

extension Transaction {
    /// The metadata of a resource, this transaction's own changes included; nil when it is unknown.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``; ``StoreError/invalid(_:)`` for a group beyond the format's
    ///   limits.
    public func resource(_ key: ResourceKey) throws -> Resource? {
        try storedRecord(of: key).map { Resource(key, $0) }
    }

    /// The record of a resource, with this transaction's counts of its rows; a damaged one is rebuilt first.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for a group beyond the format's limits; ``EngineError``.
    package mutating func record(of resource: ResourceKey) throws -> ResourceRecord? {
        do {
            return try storedRecord(of: resource)
        } catch StoreError.damaged {
            try restoreRecord(of: resource)
            return try storedRecord(of: resource)
        }
    }

    private func storedRecord(of resource: ResourceKey) throws -> ResourceRecord? {
        var record = try tables.resource(resource, in: engine)
        if let counted = record?.liveGeneration.flatMap({ effects.states.existing(RowTallies.self)?[$0] }) {
            record?.rowCount = counted.rowCount
            record?.byteCount = counted.byteCount
        }
        return record
    }

    /// Changes the record of a resource, made when there is none.
    ///
    /// - Throws: as ``record(of:)``.
    package mutating func update(_ resource: ResourceKey, _ edit: (inout ResourceRecord) -> Void) throws {
        var record = try self.record(of: resource) ?? ResourceRecord()
        let before = record
        edit(&record)
        if record == before, before != ResourceRecord() { return }
        try put(body: record.encode(), in: .resources) { try ResourceRecord.appendKey(resource, to: &$0) }
        effects.changes.addTouched(resource)
        guard record.overlays > 0 else { return }
        if record.applied > before.applied || record.state != before.state
            || record.liveGeneration != before.liveGeneration
        {
            state(OverlaidChanges.self).resources.insert(resource)
        }
    }

    /// Records that the snapshot of a resource could not be brought in.
    ///
    /// - Parameters:
    ///   - reason: made one line of at most ``Limits/errorText`` bytes.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Returns: the failure, with the attempts that failed in a row.
    /// - Throws: as ``record(of:)``.
    @discardableResult
    package mutating func setFailure(
        of resource: ResourceKey, _ kind: SnapshotFailure.Kind, reason: String, now: Int64
    ) throws -> SnapshotFailure {
        let before = try record(of: resource)?.failure?.count ?? 0
        let failure = SnapshotFailure(
            kind: kind, count: before == .max ? .max : before + 1, failedAt: now,
            reason: ErrorLine(reason)?.text ?? "unknown")
        try update(resource) { $0.failure = failure }
        return failure
    }

    /// Withdraws a resource: its rows become garbage, its record and position stay as a tombstone.
    ///
    /// - Parameters:
    ///   - position: the position at which the server hid it; nil where there is none.
    ///   - state: any but ``ResourceState/ready``.
    /// - Throws: as ``record(of:)``.
    package mutating func withdraw(
        _ resource: ResourceKey, at position: ServerPosition? = nil, as state: ResourceState
    ) throws {
        guard let record = try self.record(of: resource) else {
            try update(resource) {
                $0.state = state
                $0.applied = max($0.applied, position ?? .zero)
                $0.failure = nil
            }
            return
        }
        for case let generation? in [record.liveGeneration, record.stagingGeneration] {
            try discardGeneration(generation)
        }
        try update(resource) {
            $0.state = state
            $0.applied = max($0.applied, position ?? .zero)
            $0.liveGeneration = nil
            $0.stagingGeneration = nil
            $0.rowCount = 0
            $0.byteCount = 0
            $0.failure = nil
        }
        try markRowsReplaced(of: resource)
    }

    /// Discards the rows of a generation, shown or being written; they are removed after the commit.
    mutating func discardGeneration(_ generation: Int64) throws {
        var record = effects.states.existing(RowTallies.self)?.remove(generation)
        do {
            if record == nil { record = try tables.generation(generation, in: engine) }
        } catch StoreError.damaged {
            // A damaged record must not keep its resource from being replaced.
        }
        try remove(key: RowKeyCoding.prefix(generation: generation), in: .generations)
        try removeGarbage(GarbageKey(.stagedGeneration, generation))
        try addGarbage(
            GarbageKey(.generation, generation), count: record?.rowCount ?? 0, byteCount: record?.byteCount ?? 0)
    }

    mutating func putGeneration(_ generation: Int64, _ record: GenerationRecord) throws {
        try put(body: record.encode(), in: .generations) { try GenerationRecord.appendKey(generation, to: &$0) }
    }

    /// Begins a generation of `owner`: a number never used before, its record and its owner row.
    mutating func makeGeneration(of owner: ResourceKey) throws -> Int64 {
        try encoding { try RowKeyCoding.checkBudget(resource: owner, type: "", key: "") }
        let generation = try next(\.nextGeneration)
        try putGeneration(generation, GenerationRecord(owner: owner))
        try put(body: OwnerRecord(owner: owner).encode(), key: RowKeyCoding.prefix(generation: generation), in: .rows)
        return generation
    }
}
