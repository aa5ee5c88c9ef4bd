internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Keeps a response in place of the one of the same key and the same selecting fields, whose body becomes garbage.
    ///
    /// Credentials and cookies are left out, whatever the record has: ``ResponseRecord/isSecret(_:)``.
    ///
    /// - Parameters:
    ///   - record: its blob and length are set here.
    ///   - body: finished in this transaction.
    /// - Returns: the entry as it is kept.
    /// - Throws: ``StoreError/invalid(_:)`` for a key, tag or head beyond the limits; ``EngineError``.
    @discardableResult
    package mutating func putResponse(_ record: ResponseRecord, body: Blob) throws -> ResponseEntry {
        var record = record.withoutSecrets()
        record.blob = body.number
        record.byteCount = body.byteCount
        try Self.check(record)
        var variant: Int64 = 0
        var replaced: ResponseEntry?
        try tables.forEachResponse(from: ResponseKey.responses(of: record.key), in: engine) { place, old in
            variant = max(variant, place.variant)
            if let old, old.key.isSameText(as: record.key), old.selecting == record.selecting {
                replaced = ResponseEntry(place: place, record: old)
            }
            return true
        }
        // A number beyond the last; a key that has used up all of them is not of this world.
        let place = replaced?.place ?? ResponsePlace(key: record.key, variant: variant &+ 1)
        if let replaced {
            try removeIndex(of: replaced)
            try discardBlob(replaced.record.blob)
        }
        try putResponseRecord(record, at: place)
        try putIndex(of: ResponseEntry(place: place, record: record))
        effects.namedBlobs.insert(body.number)
        return ResponseEntry(place: place, record: record)
    }

    /// Changes what is kept of a response; its body stays as it is.
    ///
    /// - Parameters:
    ///   - blob: the number of its blob; a response that was replaced meanwhile has another.
    ///   - edit: must leave key and selecting fields as they are.
    /// - Returns: whether the response was still there.
    /// - Throws: ``StoreError/invalid(_:)``; ``StoreError/damaged(table:reason:)``; ``EngineError``.
    @discardableResult
    package mutating func updateResponse(
        at place: ResponsePlace, blob: Int64, _ edit: (inout ResponseRecord) -> Void
    ) throws -> Bool {
        guard let old = try tables.response(at: place, in: engine), old.blob == blob else { return false }
        var record = old
        edit(&record)
        record = record.withoutSecrets()
        precondition(
            record.key.isSameText(as: old.key) && record.selecting == old.selecting && record.blob == old.blob,
            "a response cannot become another")
        if record == old { return true }
        try Self.check(record)
        try putResponseRecord(record, at: place)
        if record.tags != old.tags || record.sweepAt != old.sweepAt {
            try removeIndex(of: ResponseEntry(place: place, record: old))
            try putIndex(of: ResponseEntry(place: place, record: record))
        }
        return true
    }

    /// Marks what is kept under a cache key as to be validated before its next use.
    package mutating func invalidateResponses(forKey key: String) throws {
        for entry in try responses(forKey: key) where entry.record.demand != .validation {
            try updateResponse(at: entry.place, blob: entry.record.blob) { $0.demand = .validation }
        }
    }

    /// Removes a response; its body becomes garbage.
    ///
    /// - Returns: whether something stood there, damaged or not.
    @discardableResult
    package mutating func removeResponse(at place: ResponsePlace) throws -> Bool {
        let record: ResponseRecord?
        do {
            record = try tables.response(at: place, in: engine)
        } catch StoreError.damaged {
            // What its blob and its index entries were is lost; `verify` names what it leaves behind.
            record = nil
        }
        if let record {
            try removeIndex(of: ResponseEntry(place: place, record: record))
            try discardBlob(record.blob)
        }
        return try remove(
            key: Self.key { (key) throws(FormatError) in
                try ResponseKey.response(place).append(to: &key)
            }, in: .responses)
    }

    mutating func putResponseRecord(_ record: ResponseRecord, at place: ResponsePlace) throws {
        try put(body: record.encode(), in: .responses) { (key) throws(FormatError) in
            try ResponseKey.response(place).append(to: &key)
        }
    }

    private static func check(_ record: ResponseRecord) throws(StoreError) {
        do throws(FormatError) {
            try record.checkLimits()
        } catch {
            throw .invalid(error)
        }
    }

    private mutating func putIndex(of entry: ResponseEntry) throws {
        let body = ResponseIndexRecord(blob: entry.record.blob).encode()
        for key in entry.indexKeys {
            try put(body: body, in: .responses) { (buffer) throws(FormatError) in try key.append(to: &buffer) }
        }
    }

    private mutating func removeIndex(of entry: ResponseEntry) throws {
        for key in entry.indexKeys {
            try remove(
                key: Self.key { (buffer) throws(FormatError) in try key.append(to: &buffer) }, in: .responses)
        }
    }
}

extension ResponseEntry {
    /// The keys under which the response can be found beside its own.
    var indexKeys: [ResponseKey] {
        record.tags.map { .tag($0, place) } + (record.sweepAt.map { [.expiry($0, place)] } ?? [])
    }
}
