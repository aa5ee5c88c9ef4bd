internal import LarderFormat

/// The host's keys that may open the stored keys of one store. A copy is used outside the lock of the cipher, because
/// the host may need long to supply a key.
struct HostKeys {
    /// The identity of the store, which the stored keys are bound to.
    var storeID = UUIDBytes.zero
    /// The key that wraps: the last one that is known to open the stored keys.
    var current: any HostKey
    /// The key of a replacement under way.
    var next: (any HostKey)?
    /// The keys of replacements whose commit has failed, and may have been stored all the same.
    var unconfirmed: [any HostKey] = []

    init(_ host: any HostKey) { current = host }

    /// Opens a stored key.
    ///
    /// - Returns: the key, and the host's key that opens it; nil where none does.
    /// - Throws: the error of the host that supplies the key.
    func open(_ wrapped: [UInt8], number: UInt32) throws -> (key: [UInt8], host: any HostKey)? {
        let data = SealedValue.additionalData(wrappedKey: number, of: storeID)
        for host in [current] + (next.map { [$0] } ?? []) + unconfirmed {
            if let key = try host.supplying({ try host.unwrap(wrapped, additionalData: data) }) { return (key, host) }
        }
        return nil
    }

    /// Wraps a key with the one that wraps.
    ///
    /// - Throws: the error of the host that supplies the key.
    func wrap(_ key: [UInt8], number: UInt32) throws -> [UInt8] {
        let data = SealedValue.additionalData(wrappedKey: number, of: storeID)
        return try current.supplying { try current.wrap(key, additionalData: data) }
    }

    /// Opens the data keys of a record that are not `known`.
    ///
    /// - Returns: all of its data keys; nil where no key of the host opens one.
    /// - Throws: the error of the host that supplies the key.
    func entries(of record: KeysRecord, known: KeyRing) throws -> [KeyRing.Entry]? {
        var entries: [KeyRing.Entry] = []
        for stored in record.dataKeys {
            let number = UInt32(clamping: stored.number)
            if let entry = known[number], entry.wrapped == stored.wrapped {
                entries.append(entry)
            } else if let (key, host) = try open(stored.wrapped, number: number) {
                entries.append(.init(number: number, wrapped: stored.wrapped, key: host.sealingKey(key)))
            } else {
                return nil
            }
        }
        return entries
    }

    /// Continues with the key that opens the keys of the newest commit, so that no failed replacement is in doubt.
    mutating func confirm(_ host: any HostKey) {
        if next === host { next = nil }
        current = host
        unconfirmed = []
    }
}

/// The host's key that the thread is being supplied with.
private enum SuppliedKey {
    @TaskLocal static var current: (any HostKey)?
}

extension HostKey {
    /// Runs `body`, which calls the function of the app that supplies the key.
    fileprivate func supplying<Result>(_ body: () throws -> Result) rethrows -> Result {
        precondition(
            SuppliedKey.current !== self, "the function that supplies the key of a store has used that store")
        return try SuppliedKey.$current.withValue(self, operation: body)
    }
}
