internal import LarderEngine
package import LarderFormat

/// The blobs that became bodies of responses in a transaction.
final class ReferencedBlobs: CommitState {
    var numbers: Set<Int64> = []

    init(_ shared: SharedState) {}
}

extension Transaction {
    /// Stores a response in place of the one with the same key and selecting fields, whose body becomes garbage.
    ///
    /// Of the other responses of the key that are not pinned, at most ``ResponseLimits/variants`` less one stay: those
    /// used last.
    ///
    /// Credentials and cookies are left out, whatever the record has: ``StoreOptions/credentialFields``.
    ///
    /// - Parameters:
    ///   - record: its blob and length are set here.
    ///   - body: finished in this transaction.
    /// - Returns: the stored entry.
    /// - Throws: ``StoreError/invalid(_:)`` for a key, tag or head beyond the limits; ``EngineError``.
    @discardableResult
    package mutating func putResponse(_ record: ResponseRecord, body: Blob) throws -> ResponseEntry {
        var record = record.without(shared.credentialFields)
        record.blob = body.number
        record.byteCount = body.byteCount
        try Self.check(record)
        var variant: Int64 = 0
        var replaced: ResponseEntry?
        var others: [(place: ResponseAddress, usedAt: Int64)] = []
        let usage = shared.usage
        let prefix = ResponseKey.responses(of: record.key, tables.texts)
        try tables.forEachResponse(from: prefix, in: engine) { place, old in
            variant = max(variant, place.variant)
            guard let old, old.key.equalsBytewise(record.key) else { return true }
            if old.selecting == record.selecting {
                replaced = ResponseEntry(place: place, record: old)
            } else if !old.isPinned {
                let lastUse = usage.lastUse(ofResponse: old.blob) ?? .min
                others.append((place, max(old.lastUsedAt, old.receivedAt, lastUse)))
            }
            return true
        }
        try removeExcess(others)
        // Beyond the last number, which only a forged record has, there is none: the new response replaces that one.
        let next = ResponseAddress(
            key: record.key, variant: variant == .max ? variant : variant + 1, tables.texts)
        if variant == .max, replaced == nil { try removeResponse(at: next) }
        let place = replaced?.place ?? next
        if let replaced {
            try removeIndex(of: replaced)
            try discardBlob(replaced.record.blob)
        }
        try putResponseRecord(record, at: place)
        try putIndex(of: ResponseEntry(place: place, record: record))
        state(ReferencedBlobs.self).numbers.insert(body.number)
        return ResponseEntry(place: place, record: record)
    }

    /// Removes the least recently used responses of one cache key, so that one more fits the limit.
    private mutating func removeExcess(_ others: [(place: ResponseAddress, usedAt: Int64)]) throws {
        let excess = ResponseLimits.excess(of: others, leaving: ResponseLimits.variants - 1, \.usedAt)
        // A key may have many from before there was a limit: later calls remove the rest.
        for (place, _) in excess.prefix(128) { try removeResponse(at: place) }
    }

    /// Changes the record of a response; its body stays the same.
    ///
    /// With other selecting fields it replaces the response of the same key that has them.
    ///
    /// - Parameters:
    ///   - blob: the number of its blob; a response that was replaced meanwhile has another.
    ///   - edit: must not change the key or the blob.
    /// - Returns: whether the response was still there.
    /// - Throws: ``StoreError/invalid(_:)``; ``StoreError/damaged(table:reason:)``; ``EngineError``.
    @discardableResult
    package mutating func updateResponse(
        at place: ResponseAddress, blob: Int64, _ edit: (inout ResponseRecord) -> Void
    ) throws -> Bool {
        guard let old = try tables.response(at: place, in: engine), old.blob == blob else { return false }
        var record = old
        edit(&record)
        record = record.without(shared.credentialFields)
        precondition(
            record.key.equalsBytewise(old.key) && record.blob == old.blob, "a response cannot become another")
        if record == old { return true }
        try Self.check(record)
        if record.selecting != old.selecting {
            let selecting = record.selecting
            let others = try responsePlaces(forKey: record.key) { $0.blob != blob && $0.selecting == selecting }
            for other in others { try removeResponse(at: other.place) }
        }
        try putResponseRecord(record, at: place)
        if record.tags != old.tags {
            try removeIndex(of: ResponseEntry(place: place, record: old))
            try putIndex(of: ResponseEntry(place: place, record: record))
        }
        return true
    }

    /// Marks the responses of a cache key for validation before their next use.
    ///
    /// - Throws: as ``updateResponse(at:blob:_:)``.
    package mutating func invalidateResponses(forKey key: String) throws {
        for found in try responsePlaces(forKey: key, where: { $0.demand != .validation }) {
            try updateResponse(at: found.place, blob: found.blob) { $0.demand = .validation }
        }
    }

    /// Removes a response; its body becomes garbage.
    ///
    /// - Returns: whether a record was there, damaged or not.
    /// - Throws: ``EngineError``.
    @discardableResult
    package mutating func removeResponse(at place: ResponseAddress) throws -> Bool {
        let record: ResponseRecord?
        do {
            record = try tables.response(at: place, in: engine)
        } catch StoreError.damaged {
            // Its blob and its index entries are unknown; `verify` reports what is left of them.
            record = nil
        }
        if let record {
            try removeIndex(of: ResponseEntry(place: place, record: record))
            try discardBlob(record.blob)
        }
        return try remove(key: Self.key { try ResponseKey.response(place).append(to: &$0) }, in: .responses)
    }

    mutating func putResponseRecord(_ record: ResponseRecord, at place: ResponseAddress) throws {
        try put(body: record.encode(), in: .responses) { try ResponseKey.response(place).append(to: &$0) }
    }

    private static func check(_ record: ResponseRecord) throws(StoreError) {
        try encoding { try record.checkLimits() }
    }

    mutating func putIndex(of entry: ResponseEntry) throws {
        let body = ResponseIndexRecord(blob: entry.record.blob).encode()
        for key in entry.indexKeys(tables.texts) {
            try put(body: body, in: .responses) { try key.append(to: &$0) }
        }
    }

    private mutating func removeIndex(of entry: ResponseEntry) throws {
        for key in entry.indexKeys(tables.texts) {
            try remove(key: Self.key { try key.append(to: &$0) }, in: .responses)
        }
    }
}

extension ResponseEntry {
    /// The keys under which the response can be found beside its own.
    func indexKeys(_ texts: KeyTexts) -> [ResponseKey] {
        record.tags.map { .tag(texts.tag($0), place) }
    }
}
