internal import LarderEngine
internal import LarderFormat

extension Transaction {
    /// The most things looked at before some of them are evicted.
    private static let window = 32

    /// Brings the stored size down to the cap, if this transaction has grown it beyond.
    ///
    /// Garbage goes first, then what may be evicted, both a little further than has to be; see ``EvictionRule``. The
    /// work is in proportion to what the transaction adds.
    ///
    /// - Throws: ``StoreError/full(_:)`` when what may go is not enough.
    mutating func makeRoom() throws {
        guard let cap = room.cap, sizeDelta > 0 else { return }
        let needed = sizeDelta
        guard try storedSize() > cap else { return }
        let target = cap - Room.slack(cap)
        try reclaimGarbage(downTo: target)
        if try storedSize() > cap { try evict(downTo: cap, slackTo: target) }
        let size = try storedSize()
        if size > cap { throw try shortage(cap: cap, needed: needed, missing: size - cap) }
    }

    /// Evicts and reclaims about as many bytes as one batch of bulk work, on the way to the cap.
    ///
    /// - Returns: whether there is more to be done, and something was done.
    mutating func shrink(to cap: Int64) throws -> Bool {
        let start = try storedSize()
        if start <= cap { return false }
        let target = max(cap, start - Int64(BulkLimits.bytes))
        try reclaimGarbage(downTo: target)
        if try storedSize() > target { try evict(downTo: target, slackTo: target) }
        let size = try storedSize()
        return size > cap && size < start
    }

    /// Removes rows of garbage generations until the stored size is at most `target`.
    private mutating func reclaimGarbage(downTo target: Int64) throws {
        for (generation, _) in try tables.generations(in: .garbage, engine) {
            try reclaim(generation, downTo: target)
        }
    }

    private mutating func reclaim(_ generation: Int64, downTo target: Int64) throws {
        var isMore = true
        while isMore {
            let excess = try storedSize() - target
            if excess <= 0 { return }
            isMore = try reclaimSome(of: generation, bytes: excess, isTimeUp: { false })
        }
    }

    /// Evicts until the stored size is at most `cap`, and on to `target` as long as nothing larger than that goes.
    private mutating func evict(downTo cap: Int64, slackTo target: Int64) throws {
        // Twice round: what was used gets its second chance in the first.
        var looks = try engine.statistics(of: tables.resources).entries * 2
        while try storedSize() > cap, looks > 0 {
            let touched = effects.changes.touched
            var candidates = try tables.nextEvictable(
                in: engine, room: room, looks: &looks, limit: Self.window, isInUse: { touched.contains($0) })
            let rule = EvictionRule(wanted: try storedSize() - target)
            candidates.sort { rule.prefers($0.item, to: $1.item) }
            // The worse half stays for a comparison with what comes behind it.
            for candidate in candidates.prefix((candidates.count + 1) / 2) {
                let size = try storedSize()
                if size <= cap, size - target < candidate.item.bytes { break }
                try evict(candidate.resource, because: .cap)
                try reclaimEvicted(downTo: target)
            }
        }
    }

    /// Removes rows of the generation that became garbage last.
    private mutating func reclaimEvicted(downTo target: Int64) throws {
        if let generation = effects.garbage.last { try reclaim(generation, downTo: target) }
    }

    private func shortage(cap: Int64, needed: Int64, missing: Int64) throws -> StoreError {
        let touched = effects.changes.touched
        var use = try tables.spaceUse(in: engine, cap: cap, isInUse: { touched.contains($0) })
        use.stored = try storedSize()
        let gone = effects.evictions.reduce(0) { $0 + $1.bytes }
        return .full(SpaceShortage(cap: cap, needed: needed, missing: missing, evictable: gone, use: use))
    }
}
