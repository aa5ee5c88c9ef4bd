internal import LarderEngine
internal import LarderFormat
internal import Synchronization

/// Reading the stored keys. The host is called outside the lock of the cipher: it may need long, and other reads go on.
extension StoreCipher {
    /// Makes the keys of a new store, and returns the stored value of their record.
    ///
    /// - Throws: the error of the host that supplies the key.
    func create(_ storeID: UUIDBytes) throws -> [UInt8] {
        let hosts = state.withLock { state in
            state.hosts.storeID = storeID
            return state.hosts
        }
        let nameKey = hosts.current.makeKey()
        var keys = Keys()
        keys.record.nameKey = try hosts.wrap(nameKey, number: KeysRecord.nameKeyNumber)
        try addKey(to: &keys, hosts)
        keys.value = Self.value(of: keys.record)
        state.withLock { ($0.nameKey, $0.keys) = (nameKey, keys) }
        return keys.value
    }

    /// Reads the keys of a store that is being opened.
    ///
    /// - Throws: ``StoreError/encryption(_:)`` for another key than that of the host,
    ///   ``StoreError/damaged(table:reason:)``; the error of the host that supplies the key.
    func load(_ value: RawSpan?, of storeID: UUIDBytes) throws {
        state.withLock { $0.hosts.storeID = storeID }
        try adopt(value)
    }

    /// Continues with the host's key of another open of the same file, which has just opened the stored keys, unless the
    /// one in use opens them too: another process has replaced it.
    func continueWithKey(of other: StoreCipher) {
        let (theirs, keys) = other.state.withLock { ($0.hosts, $0.keys) }
        let (own, known) = state.withLock { ($0.hosts, $0.keys.value) }
        if known == keys.value { return }
        if (try? own.open(keys.record.nameKey, number: KeysRecord.nameKeyNumber)) != nil { return }
        state.withLock { $0.hosts.current = theirs.current }
    }

    func keys(with value: RawSpan?) throws(EngineError) -> any ValueKeys {
        let (hosts, ring, pending) = state.withLock { ($0.hosts, $0.keys.ring, $0.pending) }
        // A key that the transaction under way adds is not committed yet.
        if let pending, let value, value.equals(pending.value.rawSpan) { return pending.ring }
        guard let record = try? Self.decode(value) else { throw .corrupted }
        let entries: [KeyRing.Entry]?
        do {
            entries = try hosts.entries(of: record, known: ring)
        } catch {
            throw .keyUnavailable(KeyFailure(error))
        }
        guard let entries else { throw .keyRefused }
        return state.withLock { state in
            state.keys.ring = state.keys.ring.adding(entries)
            return state.keys.ring
        }
    }

    /// Continues with the stored keys, which another process may have changed.
    func adopt(_ value: RawSpan?) throws {
        let record = try Self.decode(value)
        let (hosts, ring) = state.withLock { ($0.hosts, $0.keys.ring) }
        guard let name = try hosts.open(record.nameKey, number: KeysRecord.nameKeyNumber),
            let entries = try hosts.entries(of: record, known: ring)
        else { throw StoreError.encryption(.wrongKey) }
        let copy = if let value { [UInt8](copying: value) } else { [UInt8]() }
        state.withLock { state in
            state.hosts.confirm(name.host)
            state.nameKey = name.key
            if record.dataKeys.last?.number != state.keys.record.dataKeys.last?.number { state.keys.left = 0 }
            state.keys.record = record
            state.keys.value = copy
            state.keys.ring = state.keys.ring.adding(entries)
        }
    }

    static func decode(_ value: RawSpan?) throws(StoreError) -> KeysRecord {
        guard let value else { throw .damaged(table: TableName.meta.rawValue, reason: .truncated(offset: 0)) }
        let key = KeysRecord.key
        let body = try Tables.body(of: value, key: key.rawSpan, table: .meta)
        return try decoding(.meta) { () throws(FormatError) in try KeysRecord(decoding: body) }
    }
}
