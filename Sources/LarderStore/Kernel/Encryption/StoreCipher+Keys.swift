internal import LarderEngine
internal import LarderFormat
internal import Synchronization

extension StoreCipher {
    /// Makes the keys of a new store, and returns the stored value of their record.
    ///
    /// - Throws: the error of the host that supplies the key.
    func create(_ storeID: UUIDBytes) throws -> [UInt8] {
        try state.withLock { state throws in
            state.storeID = storeID
            state.nameKey = state.host.makeKey()
            state.keys = Keys()
            state.keys.record.nameKey = try state.host.wrap(
                state.nameKey,
                additionalData: SealedValue.additionalData(wrappedKey: KeysRecord.nameKeyNumber, of: storeID))
            try addKey(to: &state.keys, state)
            state.keys.value = Self.value(of: state.keys.record)
            return state.keys.value
        }
    }

    /// Reads the keys of a store that is being opened.
    ///
    /// - Throws: ``StoreError/encryption(_:)`` for another key than that of the host,
    ///   ``StoreError/damaged(table:reason:)``; the error of the host that supplies the key.
    func load(_ value: RawSpan?, of storeID: UUIDBytes) throws {
        try state.withLock { state throws in
            state.storeID = storeID
            try adopt(value, &state)
        }
    }

    func keys(with record: RawSpan?) throws(EngineError) -> any ValueKeys {
        do {
            return try state.withLock { state throws in
                // A key that the transaction under way adds is not committed yet.
                if let pending = state.pending, let record, record.equals(pending.value.rawSpan) { return pending.ring }
                let entries = try Self.entries(of: Self.decode(record), known: state.keys.ring, state)
                state.keys.ring = state.keys.ring.adding(entries)
                return state.keys.ring
            }
        } catch let error as EngineError {
            throw error
        } catch StoreError.damaged {
            throw .corrupted
        } catch {
            throw .keyRefused
        }
    }

    /// Continues with the stored keys, which another process may have changed.
    func adopt(_ value: RawSpan?, _ state: inout State) throws {
        let record = try Self.decode(value)
        let entries = try Self.entries(of: record, known: state.keys.ring, state)
        let data = SealedValue.additionalData(wrappedKey: KeysRecord.nameKeyNumber, of: state.storeID)
        if let nameKey = try state.host.unwrap(record.nameKey, additionalData: data) {
            state.nameKey = nameKey
        } else if let host = state.nextHost, let nameKey = try host.unwrap(record.nameKey, additionalData: data) {
            (state.host, state.nextHost, state.nameKey) = (host, nil, nameKey)
        } else {
            throw StoreError.encryption(.wrongKey)
        }
        if record.dataKeys.last?.number != state.keys.record.dataKeys.last?.number { state.keys.left = 0 }
        state.keys.record = record
        state.keys.value = if let value { [UInt8](copying: value) } else { [] }
        state.keys.ring = state.keys.ring.adding(entries)
    }

    static func decode(_ value: RawSpan?) throws(StoreError) -> KeysRecord {
        guard let value else { throw .damaged(table: TableName.meta.rawValue, reason: .truncated(offset: 0)) }
        let key = KeysRecord.key
        let body = try Tables.body(of: value, key: key.rawSpan, table: .meta)
        return try decoding(.meta) { () throws(FormatError) in try KeysRecord(decoding: body) }
    }

    /// Opens the data keys of a record that are not known.
    private static func entries(of record: KeysRecord, known: KeyRing, _ state: State) throws -> [KeyRing.Entry] {
        try record.dataKeys.map { stored in
            let number = UInt32(clamping: stored.number)
            if let entry = known[number], entry.wrapped == stored.wrapped { return entry }
            let data = SealedValue.additionalData(wrappedKey: number, of: state.storeID)
            guard
                let key = try state.host.unwrap(stored.wrapped, additionalData: data)
                    ?? state.nextHost?.unwrap(stored.wrapped, additionalData: data)
            else { throw StoreError.encryption(.wrongKey) }
            return KeyRing.Entry(number: number, wrapped: stored.wrapped, key: state.host.sealingKey(key))
        }
    }
}
