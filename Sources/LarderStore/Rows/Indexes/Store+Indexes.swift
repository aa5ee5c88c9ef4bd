internal import LarderEngine
internal import LarderFormat
internal import LarderJSON

extension Store {
    /// Declares an index, builds it in short commits that let other writes go first, and returns when it is complete.
    ///
    /// Declaring an index again costs a read, so an app declares its indexes at every start; an interrupted build then
    /// continues. An index of the same name that is over something else is discarded.
    ///
    /// - Throws: `CancellationError` between two commits; ``StoreError/invalid(_:)`` for a group or type beyond the
    ///   format's limits, or after 65,535 declarations; `EngineError`.
    /// - Complexity: O(*n* log *n*) for *n* rows of the type; holds up to 16 MiB of entries, which are written in their
    ///   order.
    public func declareIndex(_ definition: IndexDefinition) async throws {
        if let known = try read({ view in try view.index(named: definition.name) }), known.state == .ready,
            known.definition == definition
        {
            return
        }
        let index = try await write { transaction in try transaction.declareIndex(definition) }
        if index.state == .ready { return }
        // Rows that are put from now on enter the index by themselves; the existing rows are read here.
        let indexes = RowIndexes([index], type: definition.type)
        let scopes = try read { view in try view.tables.scopes(of: index, in: view.transaction) }
        guard try await writeEntries(of: IndexBuild(over: scopes.map { IndexedRows(indexes, in: $0) })) else { return }
        try await write { transaction in try transaction.finish(index) }
    }

    /// Removes an index; its entries are deleted in the background.
    ///
    /// - Returns: false when there is none of this name.
    /// - Throws: as ``write(durability:_:)``.
    @discardableResult
    public func removeIndex(named name: String) async throws -> Bool {
        try await write { transaction in try transaction.removeIndex(named: name) }
    }
}

extension Transaction {
    /// Declares an index, or finds it declared; an index of the same name over something else is discarded.
    mutating func declareIndex(_ definition: IndexDefinition) throws -> SecondaryIndex {
        try encoding {
            try Limits.check(group: definition.group)
            try Limits.check(rowType: definition.type)
        }
        if let known = try tables.declaredIndexes(in: engine).named(definition.name) {
            if known.definition == definition { return known }
            try discard(known)
        }
        let record = IndexRecord(
            name: definition.name, group: definition.group, id: definition.id, type: definition.type,
            path: definition.path.text, collation: definition.collation)
        let number = try next(\.nextIndex)
        guard let index = SecondaryIndex(number: number, record) else {
            preconditionFailure("unreachable, because a path is read back as it was written")
        }
        try put(index, as: .building)
        return index
    }

    mutating func removeIndex(named name: String) throws -> Bool {
        guard let known = try tables.declaredIndexes(in: engine).named(name) else { return false }
        try discard(known)
        return true
    }

    /// Discards an index; its entries are removed after the commit.
    private mutating func discard(_ index: SecondaryIndex) throws {
        try remove(key: Self.key { try IndexRecord.appendKey(index.number, to: &$0) }, in: .indexes)
        try addGarbage(GarbageKey(.index, index.number))
        indexCache.removeAll()
    }

    /// Marks an index as complete, unless it was discarded meanwhile.
    mutating func finish(_ index: SecondaryIndex) throws {
        guard try isBuilding(index) else { return }
        try put(index, as: .ready)
    }

    private func isBuilding(_ index: SecondaryIndex) throws -> Bool {
        try tables.declaredIndexes(in: engine).contains { $0.number == index.number && $0.state == .building }
    }

    private mutating func put(_ index: SecondaryIndex, as state: IndexState) throws {
        try put(body: index.record(state).encode(), in: .indexes) { try IndexRecord.appendKey(index.number, to: &$0) }
        indexCache.removeAll()
    }
}

extension Tables {
    /// The generations that rows of an index's resources are shown from, and the resources with overlays.
    ///
    /// Generations being written are left out: their entries are built before the swap.
    fileprivate func scopes(of index: SecondaryIndex, in source: ReadTransaction) throws -> [IndexEntryKey.Scope] {
        var found: [IndexEntryKey.Scope] = []
        let staged = Set(try garbage(.stagedGeneration, in: source))
        try forEachReadable(.generations, in: source) { key, body throws(FormatError) in
            (try GenerationRecord.decodeKey(key), try GenerationRecord(decoding: body))
        } _: { (number: Int64, record: GenerationRecord) in
            if index.covers(record.owner), !staged.contains(number) { found.append(.generation(number)) }
        }
        try forEachReadable(.resources, in: source) { key, body throws(FormatError) in
            (try ResourceRecord.decodeKey(key), try ResourceRecord.visibility(decoding: body).hasOverlays)
        } _: { (resource: ResourceKey, hasOverlays: Bool) in
            if hasOverlays, index.covers(resource) { found.append(.overlaid(resource)) }
        }
        return found
    }
}
