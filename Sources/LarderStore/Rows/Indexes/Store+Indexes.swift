internal import LarderEngine
internal import LarderFormat
internal import LarderJSON

extension Store {
    /// Declares indexes, builds those that are not complete, and returns when all are.
    ///
    /// Those over rows of one type are built in one pass, in short commits that let other writes go first, and are ready
    /// together. Declaring an index again costs a read, so an app declares its indexes at every start; an interrupted
    /// pass then begins again. An index of the same name that is over something else is discarded.
    ///
    /// ```swift
    /// try await store.declareIndexes([table.index(on: "name"), table.index(on: "price")])
    /// ```
    ///
    /// - Parameter definitions: the indexes; of several with one name the last counts.
    /// - Throws: `CancellationError` between two commits; ``StoreError/invalid(_:)`` for a group or type beyond the
    ///   format's limits, or after 65,535 declarations; `EngineError`.
    /// - Complexity: O(*n* log *n*) for *n* rows of the types; holds up to 16 MiB of entries, which are written in their
    ///   order.
    public func declareIndexes(_ definitions: [IndexDefinition]) async throws {
        let known = try read { view in try view.indexes() }
        let missing = definitions.enumerated().compactMap { position, definition in
            let isRepeated = definitions[(position + 1)...].contains { $0.name.equalsBytewise(definition.name) }
            let isReady = known.contains { $0.state == .ready && $0.definition == definition }
            return isRepeated || isReady ? nil : definition
        }
        if missing.isEmpty { return }
        let declared = try await write { transaction in
            try missing.map { try transaction.declareIndex($0) }.filter { $0.state == .building }
        }
        // Rows that are put from now on enter the indexes by themselves; the existing rows are read here.
        let passes = Dictionary(grouping: declared) { index in
            [Array(index.definition.group.utf8), Array(index.definition.type.utf8)]
        }
        var failure: (any Error)?
        for indexes in passes.values.sorted(by: { $0[0].number < $1[0].number }) {
            do {
                try await build(indexes)
            } catch {
                try Task.checkCancellation()
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Builds indexes over rows of one type in one pass, and marks them as complete.
    private func build(_ indexes: [SecondaryIndex]) async throws {
        var building = indexes
        while !building.isEmpty {
            let rows = try read { [building] view in try view.tables.indexedRows(building, in: view.transaction) }
            if try await writeEntries(of: IndexBuild(over: rows)) { break }
            // One of them was discarded meanwhile.
            let declared = Set(try read { view in try view.indexes().map(\.number) })
            building.removeAll { !declared.contains($0.number) }
        }
        if building.isEmpty { return }
        try await write { [building] transaction in for index in building { try transaction.finish(index) } }
    }

    /// Declares one index, as ``declareIndexes(_:)``.
    ///
    /// - Throws: as ``declareIndexes(_:)``.
    /// - Complexity: as ``declareIndexes(_:)``.
    public func declareIndex(_ definition: IndexDefinition) async throws { try await declareIndexes([definition]) }

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
    /// The rows that entries of some indexes are made of: those of generations that are shown, and overlaid ones.
    ///
    /// Generations being written are left out: their entries are built before the swap.
    fileprivate func indexedRows(_ indexes: [SecondaryIndex], in source: ReadTransaction) throws -> [IndexedRows] {
        var found: [IndexedRows] = []
        func add(_ scope: IndexEntryKey.Scope, of owner: ResourceKey) {
            found += IndexedRows.all(indexes.filter { $0.covers(owner) }, in: scope)
        }
        let staged = Set(try garbage(.stagedGeneration, in: source))
        try forEachReadable(.generations, in: source) { key, body throws(FormatError) in
            (try GenerationRecord.decodeKey(key), try GenerationRecord(decoding: body))
        } _: { (number: Int64, record: GenerationRecord) in
            if !staged.contains(number) { add(.generation(number), of: record.owner) }
        }
        try forEachReadable(.resources, in: source) { key, body throws(FormatError) in
            (try ResourceRecord.decodeKey(key), try ResourceRecord.visibility(decoding: body).hasOverlays)
        } _: { (resource: ResourceKey, hasOverlays: Bool) in
            if hasOverlays { add(.overlaid(resource), of: resource) }
        }
        return found
    }
}
