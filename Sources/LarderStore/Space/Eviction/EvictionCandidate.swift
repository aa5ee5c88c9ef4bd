internal import LarderEngine
internal import LarderFormat

/// Something stored that may be evicted.
struct EvictionCandidate {
    /// The content that can be evicted.
    enum Subject {
        /// The rows of a resource.
        case resource(ResourceKey)
        /// A response of the HTTP cache, with the blob that is its body.
        case response(ResponseAddress, blob: Int64)
        /// The stored answer of a query, without the rows it names.
        case collection(CollectionName)
    }

    /// The content.
    let subject: Subject
    /// The input of the eviction rule.
    let item: EvictionRule.Item
}

extension EvictionRule.Item {
    /// An item that was last used at a time, in milliseconds since 1970-01-01 UTC.
    init(bytes: Int64, usedAt: Int64, now: Int64, isFetchable: Bool) {
        let (idle, isLong) = now.subtractingReportingOverflow(usedAt)
        // The difference of the times overflows only when one is before 1970 and the other after it.
        self.init(bytes: bytes, idle: isLong ? (now > usedAt ? .max : 0) : idle, isFetchable: isFetchable)
    }
}

extension EvictionCandidate {
    /// The candidate of a response.
    init(_ record: ResponseRecord, at place: ResponseAddress, _ shared: SharedState, now: Int64) {
        let used = max(record.lastUsedAt, shared.usage.lastUse(ofResponse: record.blob) ?? .min)
        self.init(
            subject: .response(place, blob: record.blob),
            item: EvictionRule.Item(bytes: record.storedBytes, usedAt: used, now: now, isFetchable: true))
    }
}

// MARK: - Resources

extension Tables {
    /// The next resources that may be evicted, from the clock hand on.
    ///
    /// A resource that was used since the hand last passed is skipped once; damaged records are always skipped.
    ///
    /// - Parameters:
    ///   - remaining: the number of records that may still be read; counted down.
    ///   - isInUse: whether the write that needs space changes a resource itself.
    func nextResources(
        in source: ReadTransaction, shared: SharedState, remaining: inout Int, limit: Int,
        isInUse: (ResourceKey) -> Bool
    ) throws -> [EvictionCandidate] {
        var found: [EvictionCandidate] = []
        let budget = shared.budget
        let now = budget.now()
        var last = budget.hand.resource
        // The search makes one round at most, so that nothing is found twice.
        let end = max(0, remaining - (try source.statistics(of: resources).entries))
        try source.withCursor(in: resources) { cursor in
            var isMore = remaining > end
            /// Checks a record and determines whether to continue.
            func visit(_ entry: borrowing Entry) {
                remaining -= 1
                last = [UInt8](copying: entry.key)
                if let candidate = candidate(entry, now, shared, isInUse) { found.append(candidate) }
                isMore = remaining > end && found.count < limit
            }
            // The search runs from behind the record read last to the end, then from the start.
            var isWithin = false
            if isMore, let entry = try cursor.seek((last + [0]).rawSpan) {
                isWithin = true
                visit(entry)
            }
            while isWithin, isMore, let entry = try cursor.next() { visit(entry) }
            if isMore, let entry = try cursor.first() { visit(entry) } else { isMore = false }
            while isMore, let entry = try cursor.next() { visit(entry) }
        }
        budget.hand.resource = last
        return found
    }

    private func candidate(
        _ entry: borrowing Entry, _ now: Int64, _ shared: SharedState, _ isInUse: (ResourceKey) -> Bool
    ) -> EvictionCandidate? {
        let decoded = try? decoding(.resources) { () throws(FormatError) in
            let body = try Record.open(entry.value, key: entry.key, seed: TableName.resources.seed)
            return (try ResourceRecord.decodeKey(entry.key), try ResourceRecord(decoding: body))
        }
        guard let (resource, record) = decoded, record.isEvictable, let generation = record.liveGeneration,
            !isInUse(resource), !shared.generationUses.remove(generation)
        else { return nil }
        return EvictionCandidate(
            subject: .resource(resource),
            item: EvictionRule.Item(
                bytes: record.byteCount, usedAt: max(record.usedAt ?? .min, record.syncedAt ?? .min), now: now,
                isFetchable: record.snapshotPath != nil))
    }
}

extension ResourceRecord {
    /// Whether the resource has rows that may be dropped, as far as this record shows.
    var isEvictable: Bool {
        state == .ready && liveGeneration != nil && !isPinned && stagingGeneration == nil && overlays == 0
    }
}

// MARK: - Responses

extension Tables {
    /// The next responses that may be evicted, from the clock hand on; damaged ones are skipped.
    ///
    /// The times of their last uses are known exactly, so used ones are not skipped.
    ///
    /// - Parameters:
    ///   - remaining: the number of records that may still be read; counted down.
    ///   - isInUse: whether a blob has to stay for now.
    func nextResponses(
        in source: ReadTransaction, shared: SharedState, remaining: inout Int, limit: Int, isInUse: (Int64) -> Bool
    ) throws -> [EvictionCandidate] {
        var found: [EvictionCandidate] = []
        let budget = shared.budget
        let now = budget.now()
        while remaining > 0, found.isEmpty {
            let entries = try responses(after: budget.hand.response, limit: min(remaining, limit), in: source)
            remaining -= max(1, entries.count)
            // At the end the hand returns to the start.
            budget.hand.response = entries.last?.place
            for entry in entries where !entry.record.isPinned && !isInUse(entry.record.blob) {
                found.append(EvictionCandidate(entry.record, at: entry.place, shared, now: now))
            }
        }
        return found
    }
}

extension ResponseRecord {
    /// The approximate bytes of keys and values of the response and its body.
    var storedBytes: Int64 {
        // These are the head of the record and of the blob, and a key and a record header for each chunk.
        let (sum, isTooLarge) = byteCount.addingReportingOverflow(512 + byteCount / Int64(Limits.chunkBytes) * 24)
        return isTooLarge ? .max : sum
    }
}
