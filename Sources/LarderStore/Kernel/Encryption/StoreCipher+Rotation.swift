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
            if state.hosts.next != nil { return false }
            state.hosts.next = encryption.host
            return true
        }
        if !isAnnounced { throw .encryption(.replacementUnderWay) }
    }

    /// Continues with the announced key of the host, with which the stored keys are wrapped now.
    func complete(_ encryption: StoreEncryption) {
        state.withLock { $0.hosts.confirm(encryption.host) }
    }

    /// Withdraws the announced key of the host after a commit that has failed.
    ///
    /// A commit may be stored in spite of its error, so that the key stays among those that may open the stored keys
    /// until the next write transaction reads them.
    func withdrawAnnouncement() {
        state.withLock { state in
            if let next = state.hosts.next.take() { state.hosts.unconfirmed.append(next) }
        }
    }

    /// Returns the record with all keys wrapped by the key of `encryption`, which is announced, and a new data key.
    ///
    /// Another process may have wrapped them with that key already.
    ///
    /// - Throws: ``StoreError/damaged(table:reason:)``, ``StoreError/encryption(_:)``; the errors of the hosts that supply
    ///   the keys.
    func rewrapped(_ value: RawSpan?, by encryption: StoreEncryption) throws -> [UInt8] {
        var record = try Self.decode(value)
        let hosts = state.withLock { $0.hosts }
        var next = hosts
        next.current = encryption.host
        func rewrap(_ wrapped: [UInt8], _ number: UInt32) throws -> [UInt8] {
            guard let opened = try hosts.open(wrapped, number: number) else {
                throw StoreError.encryption(.wrongKey)
            }
            return try next.wrap(opened.key, number: number)
        }
        record.nameKey = try rewrap(record.nameKey, KeysRecord.nameKeyNumber)
        for index in record.dataKeys.indices {
            let number = UInt32(clamping: record.dataKeys[index].number)
            record.dataKeys[index].wrapped = try rewrap(record.dataKeys[index].wrapped, number)
        }
        let number = UInt32(clamping: record.dataKeys.last?.number ?? 0) + 1
        let wrapped = try next.wrap(next.current.makeKey(), number: number)
        record.dataKeys.append(.init(number: Int64(number), wrapped: wrapped, bound: 0))
        return Self.value(of: record)
    }

    /// Returns the record without the keys below `number`; nil where it has none.
    static func value(_ value: RawSpan?, withoutKeysBelow number: UInt32) throws(StoreError) -> [UInt8]? {
        var record = try decode(value)
        let count = record.dataKeys.count
        record.dataKeys.removeAll { $0.number < Int64(number) }
        return record.dataKeys.count == count ? nil : Self.value(of: record)
    }
}
