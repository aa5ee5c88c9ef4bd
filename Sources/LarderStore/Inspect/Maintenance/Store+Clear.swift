internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Removes all content: rows, responses, tokens, the outbox, local changes, the journal, and the words kept for
    /// searches in a file of their own. The store stays open and usable; numbers go on where they were, so that none is
    /// used twice. Secondary indexes go with their declarations; a host declares them again.
    ///
    /// For signing out. Stop what syncs and sends first: what is written meanwhile goes too, or stays whole. In commits of
    /// bounded size, but for damaged records, which go in one; a process that dies on the way leaves a sound store with a
    /// part of its content, and the next call goes on. Bytes that were removed may be left in unused pages of the file:
    /// ``destroy(at:discardingUnsent:)`` removes the file.
    ///
    /// - Parameter discardingUnsent: whether writes and points that were not sent go too.
    /// - Throws: ``StoreError/unsentWrites(_:)`` and ``StoreError/unsentPoints(_:)`` with nothing removed, or, for a write
    ///   made while this runs, with that write and a part of the content kept; `CancellationError` between two commits;
    ///   ``EngineError``, also when the file of words cannot be removed.
    public func clear(discardingUnsent: Bool = false) async throws {
        try checkWritable()
        try await inBatches { transaction in
            if !discardingUnsent { try transaction.tables.checkAllSent(in: transaction.engine) }
            return try transaction.clearSomeUnsent()
        }
        try await inBatches { transaction in try transaction.clearSomeFilters() }
        try await clearCollections()
        _ = try await removeResponses(.all)
        try await inBatches { transaction in
            try transaction.clearUnsent(discards: discardingUnsent)
            return try transaction.clearSomeResources()
        }
        try await inBatches { transaction in try transaction.clearSomeGarbage() }
        // The rest was written meanwhile, or is damaged. It is removed in one commit: removed table by table, a write made in
        // between would lose a part of itself. Apart from other writes, whose counts are stored at the end of their commit.
        try await bulk { transaction in
            transaction.requireFullDurability()
            try transaction.clearUnsent(discards: discardingUnsent)
            for table in TableName.allCases where table != .meta { while try transaction.clearSome(of: table) {} }
            // What damaged entries counted for cannot be known.
            try transaction.forgetPending()
            try transaction.forgetServers()
            try transaction.beginTimeline()
        }
        try removeWords()
    }

    /// Removes the file of words, last: whatever opens it anew from now on finds no rows to read words from. A search under
    /// way, in whatever process, goes on with the file that it has open, and the next one notices that it is gone.
    private func removeWords() throws { try environment.removeCompanions(Self.wordsFileNames) }

    /// Removes the store at `path`, which nobody may have open, with its directory when nothing else is in it.
    ///
    /// For signing out, and for starting anew where a file is damaged beyond use or of an older format: then with
    /// `discardingUnsent`. A damaged file goes only when `guard.lock` shows that it was a store. Blocks while another
    /// process opens or closes the store.
    ///
    /// - Parameter discardingUnsent: whether writes and points that were not sent go too.
    /// - Throws: ``StoreError/unsentWrites(_:)``, ``StoreError/unsentPoints(_:)``; ``StoreError/notAStore``,
    ///   ``StoreError/unsupportedFormat(_:)``, ``StoreError/readOnlyFormat``; ``EngineError/notFound``;
    ///   ``EngineError/heldByOthers``; without `discardingUnsent` the errors of
    ///   ``open(at:options:host:)``. The store is then unchanged.
    public static func destroy(at path: String, discardingUnsent: Bool = false) throws {
        if discardingUnsent {
            let record = (table: TableName.meta.rawValue, key: FormatRecord.key)
            return try Environment.discard(path: path, record: record, judge: checkDiscardable)
        }
        try Environment.destroy(path: path, tables: Tables.names) { snapshot, handles in
            if try readFormat(in: snapshot, handles) == .readOnly { throw StoreError.readOnlyFormat }
            if let missing = Tables.names.first(where: { handles[$0] == nil }) {
                throw EngineError.missingTable(name: missing)
            }
            try Tables(handles).checkAllSent(in: snapshot)
            return true
        }
    }

    /// Throws unless the value of the format record shows a store that this version may remove. A damaged record shows
    /// nothing by itself: a file of another program may have one of that name.
    private static func checkDiscardable(_ format: [UInt8]?, isMarked: Bool) throws {
        guard let format else { throw StoreError.notAStore }
        do {
            if try formatAccess(of: format.rawSpan) == .readOnly { throw StoreError.readOnlyFormat }
        } catch StoreError.unsupportedFormat(.olderFormat) {
            return
        } catch StoreError.damaged {
            guard isMarked else { throw StoreError.notAStore }
        }
    }

    private func clearCollections() async throws {
        do {
            for collection in try read({ view in try view.collections() }) {
                try Task.checkCancellation()
                _ = try await bulk { transaction in try transaction.removeCollection(collection.name) }
            }
        } catch StoreError.damaged {
            // They go with whatever is left.
        }
    }

    /// Runs `step` in a commit of its own until it answers that there is nothing more.
    private func inBatches(_ step: @escaping @Sendable (inout Transaction) throws -> Bool) async throws {
        var isMore = true
        while isMore {
            try Task.checkCancellation()
            isMore = try await bulk(step)
        }
    }
}

extension Transaction {
    /// Removes the writes that were enqueued since the last commit of clearing, so that it removes none of their parts alone.
    ///
    /// - Throws: ``StoreError/unsentWrites(_:)``, ``StoreError/unsentPoints(_:)`` where they are not to be discarded.
    fileprivate mutating func clearUnsent(discards: Bool) throws {
        if !discards { return try tables.checkAllSent(in: engine) }
        while try clearSomeUnsent() {}
    }
}

extension Tables {
    /// Throws when anything waits to be sent.
    fileprivate func checkAllSent(in source: ReadTransaction) throws {
        // A table whose root is damaged seems to be empty.
        let pending = try Int(clamping: counters(in: source).pendingEntries)
        let writes = try max(unsentWrites(in: source), pending)
        if writes > 0 { throw StoreError.unsentWrites(writes) }
        let points = try unsentPoints(in: source)
        if points > 0 { throw StoreError.unsentPoints(points) }
    }

    /// How many points there are, whatever their rings say.
    private func unsentPoints(in source: ReadTransaction) throws -> Int {
        var count = 0
        try source.withCursor(in: self[.buffers]) { cursor in
            while let entry = try cursor.next() {
                if case .point = try? BufferKey(decoding: entry.key) { count += 1 }
            }
        }
        return count
    }

    /// How many writes wait to be sent.
    private func unsentWrites(in source: ReadTransaction) throws -> Int {
        var count = 0
        try forEachRaw(.outbox, prefix: OutboxKey.heads, in: source) { _ in
            count += 1
            return true
        }
        return count
    }
}
