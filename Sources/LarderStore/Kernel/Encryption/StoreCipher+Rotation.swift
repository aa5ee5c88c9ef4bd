internal import LarderFormat
internal import Synchronization

/// The changes of the stored keys that replace the host's key, step by step. FORMAT.md, "meta".
extension StoreCipher {
    /// The number of the key that seals, if there are older keys, whose values are to be sealed anew.
    var rotationTarget: UInt32? {
        state.withLock { state in
            let keys = state.keys.record.dataKeys
            return keys.count > 1 ? keys.last.map { UInt32(clamping: $0.number) } : nil
        }
    }

    /// Announces a key of the host that the stored keys may be wrapped with from now on.
    ///
    /// - Throws: ``StoreError/encryption(_:)`` while another one is announced.
    func announce(_ encryption: StoreEncryption) throws(StoreError) {
        let isAnnounced = state.withLock { state in
            if state.nextHost != nil { return false }
            state.nextHost = encryption.host
            return true
        }
        if !isAnnounced { throw .encryption(.replacementUnderWay) }
    }

    /// Continues with the announced key of the host, with which the stored keys are wrapped now.
    func complete(_ encryption: StoreEncryption) {
        state.withLock { ($0.host, $0.nextHost) = (encryption.host, nil) }
    }

    /// Withdraws the announced key of the host: the stored keys will not be wrapped with it.
    func withdrawAnnouncement() {
        state.withLock { $0.nextHost = nil }
    }

    /// Returns the record with all keys wrapped by the key of `encryption`, and a new data key.
    ///
    /// Another process may have wrapped them with that key already.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/encryption(_:)``; the errors of the hosts that supply
    ///   the keys.
    func rewrapped(_ value: RawSpan?, by encryption: StoreEncryption) throws -> [UInt8] {
        try state.withLock { state throws in
            let next = encryption.host
            var record = try Self.decode(value)
            func rewrap(_ wrapped: [UInt8], _ number: UInt32) throws -> [UInt8] {
                let data = SealedValue.additionalData(wrappedKey: number, of: state.storeID)
                guard
                    let key = try state.host.unwrap(wrapped, additionalData: data)
                        ?? next.unwrap(wrapped, additionalData: data)
                else { throw StoreError.encryption(.wrongKey) }
                return try next.wrap(key, additionalData: data)
            }
            record.nameKey = try rewrap(record.nameKey, KeysRecord.nameKeyNumber)
            for index in record.dataKeys.indices {
                let number = UInt32(clamping: record.dataKeys[index].number)
                record.dataKeys[index].wrapped = try rewrap(record.dataKeys[index].wrapped, number)
            }
            let number = UInt32(clamping: record.dataKeys.last?.number ?? 0) + 1
            let wrapped = try next.wrap(
                next.makeKey(), additionalData: SealedValue.additionalData(wrappedKey: number, of: state.storeID))
            record.dataKeys.append(.init(number: Int64(number), wrapped: wrapped, bound: 0))
            return Self.value(of: record)
        }
    }

    /// Returns the record without the keys below `number`; nil where it has none.
    static func value(_ value: RawSpan?, withoutKeysBelow number: UInt32) throws(StoreError) -> [UInt8]? {
        var record = try decode(value)
        let count = record.dataKeys.count
        record.dataKeys.removeAll { $0.number < Int64(number) }
        return record.dataKeys.count == count ? nil : Self.value(of: record)
    }
}
