internal import LarderEngine
internal import LarderFormat

extension Transaction {
    /// Reduces the stored size to the cap, if this transaction has grown it beyond.
    ///
    /// Garbage is removed first, then content is evicted, both a little further than needed; see ``EvictionRule``. The
    /// work is in proportion to what the transaction adds, unless nothing may be evicted.
    ///
    /// - Throws: ``StoreError/full(_:)`` when not enough may be removed.
    mutating func enforceSizeCap() throws {
        guard sizeDelta > 0, let cap = shared.contentCap else { return }
        let needed = sizeDelta
        guard try storedSize() > cap else { return }
        try makeSpace(downTo: cap, slackTo: cap - StorageBudget.slack(cap))
        let size = try storedSize()
        if size > cap { throw try shortage(cap: cap, needed: needed, missing: size - cap) }
    }

    /// Evicts and reclaims about as many bytes as one batch of bulk work, on the way to the cap.
    ///
    /// - Returns: whether there is more to do, and something was done.
    mutating func shrink(to cap: Int64) throws -> Bool {
        let start = try storedSize()
        if start <= cap { return false }
        let target = max(cap, start - Int64(BulkLimits.bytes))
        try makeSpace(downTo: target, slackTo: target)
        let size = try storedSize()
        return size > cap && size < start
    }

    private mutating func makeSpace(downTo cap: Int64, slackTo target: Int64) throws {
        try reclaim(downTo: target, sparesHeld: true)
        if try storedSize() > cap { try evict(downTo: cap, slackTo: target, sparesHeld: true) }
        // Content that is being read is removed when nothing else is left.
        if try storedSize() > cap { try reclaim(downTo: target, sparesHeld: false) }
        if try storedSize() > cap { try evict(downTo: cap, slackTo: target, sparesHeld: false) }
    }

    private func shortage(cap: Int64, needed: Int64, missing: Int64) throws -> StoreError {
        let touched = effects.changes.touched
        let referenced = effects.states.existing(ReferencedBlobs.self)?.numbers ?? []
        var use = try tables.spaceUse(
            in: engine, cap: cap, isInUse: { touched.contains($0) }, isBlobInUse: { referenced.contains($0) },
            collectionsInUse: Set(
                effects.changes.collections.compactMap { try? tables.collection($0, in: engine)?.number }))
        use.stored = try storedSize()
        let evicted = effects.states.existing(EvictedBytes.self)?.count ?? 0
        return .full(SpaceShortage(cap: cap, needed: needed, missing: missing, evictable: evicted, use: use))
    }
}

// MARK: - Garbage

extension Transaction {
    /// Removes garbage down to a stored size of `target`.
    ///
    /// - Parameter sparesHeld: whether bodies that are being read stay; otherwise readers get ``StoreError/blobRemoved``.
    private mutating func reclaim(downTo target: Int64, sparesHeld: Bool) throws {
        for blob in shared.leases.abandoned where try storedSize() > target { try discardStagedBlob(blob) }
        var place = GarbageKey.removable
        let excess = try storedSize() - target
        if excess > 0 {
            _ = try reclaimSome(from: &place, bytes: excess, sparesHeld: sparesHeld, isTimeUp: { false })
        }
    }

    /// Removes as much of one range as is needed for a stored size of `target`.
    private mutating func reclaim(_ key: GarbageKey, downTo target: Int64) throws {
        let excess = try storedSize() - target
        if excess > 0, try tables.isInGarbage(key, in: engine) {
            _ = try reclaim(key, bytes: excess, isTimeUp: { false })
        }
    }
}

// MARK: - Evicting

extension Transaction {
    /// The most candidates of each kind to gather before some of them are evicted.
    private static let window = 32
    /// The most bytes of the journal's records of evicted responses and collections.
    private static let journalRecordSize: Int64 = 256

    /// The remaining extent of the search for something to evict.
    private struct RemainingSearch {
        var resources: Int
        var responses: Int
        /// The number of times that the last collection may still be passed.
        var collectionRounds = 3

        var isDone: Bool { resources <= 0 && responses <= 0 && collectionRounds <= 0 }
    }

    /// The evicted items that are journaled together.
    private struct Tally {
        var count = 0
        var bytes: Int64 = 0

        mutating func add(_ item: EvictionRule.Item) {
            count += 1
            bytes.addClamped(item.bytes)
        }
    }

    /// Evicts until the stored size is at most `cap`, and on to `target` as long as no larger item than needed is
    /// evicted.
    ///
    /// - Parameter sparesHeld: whether bodies that are being read stay.
    private mutating func evict(downTo cap: Int64, slackTo target: Int64, sparesHeld: Bool) throws {
        // The search makes two rounds: used resources are skipped in the first round. Collections begin at the hand.
        var remaining = RemainingSearch(
            resources: try engine.statistics(of: tables.resources).entries * 2,
            responses: try engine.statistics(of: tables.responses).entries + 1)
        var (responses, collections) = (Tally(), Tally())
        var pool: [EvictionCandidate] = []
        let limit = max(target, cap - Self.journalRecordSize)
        while try storedSize() > limit, !remaining.isDone || !pool.isEmpty {
            pool += try nextCandidates(&remaining, sparesHeld: sparesHeld)
            let rule = EvictionRule(wanted: try storedSize() - target)
            pool.sort { rule.prefers($0.item, to: $1.item) }
            // The worse half stays, to be compared with the candidates found next.
            let worst = remaining.isDone ? pool.count : (pool.count + 1) / 2
            for candidate in pool.prefix(worst) {
                let size = try storedSize()
                if size <= limit, size - target < candidate.item.bytes { break }
                guard try evict(candidate, downTo: target) else { continue }
                switch candidate.subject {
                case .resource: break
                case .response: responses.add(candidate.item)
                case .collection: collections.add(candidate.item)
                }
            }
            pool.removeFirst(worst)
        }
        try journalEvictions(responses, as: Eviction.Subject.responses)
        try journalEvictions(collections, as: Eviction.Subject.collections)
    }

    private mutating func journalEvictions(_ tally: Tally, as subject: (Int) -> Eviction.Subject) throws {
        if tally.count == 0 { return }
        try journalEviction(Eviction(subject(tally.count), bytes: tally.bytes, reason: .cap, time: budget.now()))
    }

    private func nextCandidates(_ remaining: inout RemainingSearch, sparesHeld: Bool) throws -> [EvictionCandidate] {
        let changes = effects.changes
        let referenced = effects.states.existing(ReferencedBlobs.self)?.numbers ?? []
        let resources = try tables.nextResources(
            in: engine, shared: shared, remaining: &remaining.resources, limit: Self.window,
            isInUse: { changes.touched.contains($0) })
        let responses = try tables.nextResponses(
            in: engine, shared: shared, remaining: &remaining.responses, limit: Self.window,
            isInUse: { blob in referenced.contains(blob) || (sparesHeld && shared.leases.isHeld(blob)) })
        let collections = try tables.nextCollections(
            in: engine, shared: shared, rounds: &remaining.collectionRounds, limit: Self.window,
            isInUse: { changes.collections.contains($0) })
        return resources + responses + collections
    }

    /// Evicts one item, and removes as much of it as is needed for a stored size of `target`.
    ///
    /// - Returns: whether it was still there.
    private mutating func evict(_ candidate: EvictionCandidate, downTo target: Int64) throws -> Bool {
        switch candidate.subject {
        case .resource(let resource):
            guard let generation = try evict(resource, reason: .cap) else { return false }
            try reclaim(GarbageKey(.generation, generation), downTo: target)
        case .response(let place, let blob):
            guard try removeResponse(at: place) else { return false }
            try reclaim(GarbageKey(.blob, blob), downTo: target)
        case .collection(let name): return try removeCollection(name) != nil
        }
        return true
    }
}
