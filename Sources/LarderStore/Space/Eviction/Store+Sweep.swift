internal import LarderEngine
internal import LarderFormat

extension Store {
    /// The number of resources updated in one commit.
    private static let resourceBatch = 256

    /// Removes the stored answers of queries beyond ``StoreOptions/collectionAge``, and stores which resources were
    /// used lately.
    ///
    /// Works in commits of bounded size that let other writes go first. Call it about once an hour: a coordinator does
    /// so.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    /// - Throws: `CancellationError` between two commits; `EngineError`; ``StoreError/damaged(table:reason:)``.
    public func sweep(now: Int64) async throws {
        if isReadOnly { return }
        if let collectionAge { try await sweepCollections(before: now.subtractingClamped(collectionAge)) }
        writeUsageSoon()
        let used = try read { view in try view.recentlyUsed(shared.generationUses, now: now) }
        for start in stride(from: 0, to: used.count, by: Self.resourceBatch) {
            try Task.checkCancellation()
            let batch = Array(used[start..<min(start + Self.resourceBatch, used.count)])
            try await writeBulk { transaction in
                for resource in batch { try transaction.setUseTime(of: resource, now: now) }
            }
        }
    }

    /// Keeps the responses of a cache key from being evicted, or lets them be evicted again.
    ///
    /// - Returns: the number of these responses.
    /// - Throws: as ``write(durability:_:)``.
    @discardableResult
    public func pinResponses(forKey key: String, _ isPinned: Bool = true) async throws -> Int {
        try await write { transaction in
            let found = try transaction.responsePlaces(forKey: key) { _ in true }
            for (place, blob) in found {
                try transaction.updateResponse(at: place, blob: blob) { $0.isPinned = isPinned }
            }
            return found.count
        }
    }
}

extension Int64 {
    /// This time less a duration, in whole milliseconds.
    fileprivate func subtractingClamped(_ duration: Duration) -> Int64 {
        let (milliseconds, isTooLong) = duration.components.seconds.multipliedReportingOverflow(by: 1000)
        let (time, isTooEarly) = subtractingReportingOverflow(milliseconds)
        return isTooLong || isTooEarly ? .min : time
    }
}

extension ReadView {
    /// The resources that were read since the hand last passed, and whose stored time of use is an hour old or more.
    fileprivate borrowing func recentlyUsed(_ uses: UseBits, now: Int64) throws -> [ResourceKey] {
        var found: [ResourceKey] = []
        try tables.forEachReadable(.resources, in: transaction) { key, body throws(FormatError) in
            (try ResourceRecord.decodeKey(key), try ResourceRecord(decoding: body))
        } _: { (resource: ResourceKey, record: ResourceRecord) in
            guard let generation = record.liveGeneration, uses.contains(generation) else { return }
            let (age, isLong) = now.subtractingReportingOverflow(record.usedAt ?? .min)
            // A time in the future is replaced as well: the clock was moved back.
            if isLong || age >= UsageLog.interval || age < 0 { found.append(resource) }
        }
        return found
    }
}

extension Transaction {
    /// Stores the time of a resource's use; observers are not notified, since nothing changes for them.
    fileprivate mutating func setUseTime(of resource: ResourceKey, now: Int64) throws {
        guard var record = try record(of: resource), record.state == .ready else { return }
        record.usedAt = now
        try put(body: record.encode(), in: .resources) { try ResourceRecord.appendKey(resource, to: &$0) }
    }
}
