internal import LarderEngine
internal import LarderFormat
internal import Logging

// The opener that enters a range as being written holds a lease meanwhile. The lease of an opener that has died can be
// acquired by another one, which then discards the range. docs/internals/store.md.

extension SharedState {
    /// The other openers with the file of a lease: each is writing content, or has died while it was.
    var otherWriters: [String] {
        let own = process.description
        return OpenerLease.openers(in: environment.path).filter { $0 != own }
    }

    /// Discards what openers were writing that have died, and removes their leases; called on the writer thread.
    ///
    /// Content of an opener without a lease, such as one of an older version, is left to an open that is alone.
    ///
    /// - Complexity: reads the directory; for each opener that has died, looks at everything that is being written.
    func discardRemains() throws {
        for opener in otherWriters {
            do {
                try discardRemains(of: opener)
            } catch {
                switch error {
                case EngineError.untrustedFile, EngineError.corrupted, StoreError.damaged:
                    // `verify` reports damage. The lease stays, so this is tried again.
                    host.logger.debug(
                        "could not discard what a killed process was writing", metadata: ["error": "\(error)"])
                default: throw error
                }
            }
        }
    }

    private func discardRemains(of opener: String) throws {
        // An opener whose lease is held here enters nothing.
        guard let id = UUIDBytes(opener), let lease = try AbandonedLease(of: opener, in: environment.path) else {
            return
        }
        let ranges = try environment.read { source in try tables.ranges(beingWrittenBy: id, in: source) }
        if !ranges.isEmpty {
            try transact(durability: .relaxed, isBulk: true) { transaction in
                for range in ranges { try transaction.discardRemains(range) }
            }
            host.logger.info("discarded what a killed process was writing", metadata: ["ranges": "\(ranges.count)"])
        }
        lease.remove()
    }
}

extension Transaction {
    /// Discards a generation or blob that no process writes any more.
    fileprivate mutating func discardRemains(_ range: GarbageKey) throws {
        if range.kind == .stagedBlob { try discardStagedBlob(range.number) } else { try discardStaging(range.number) }
    }
}

extension Tables {
    /// The generations and blobs that an opener has entered as being written.
    fileprivate func ranges(beingWrittenBy opener: UUIDBytes, in source: ReadTransaction) throws -> [GarbageKey] {
        try [GarbageKey.Kind.stagedGeneration, .stagedBlob].flatMap { kind in
            try garbage(kind, in: source).map { GarbageKey(kind, $0) }.filter { key in
                try garbageRecord(key, in: source)?.process == opener
            }
        }
    }
}
