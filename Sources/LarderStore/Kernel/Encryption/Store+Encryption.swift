internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Whether the values of the store are encrypted.
    public var isEncrypted: Bool { environment.cipher != nil }

    /// Reads the keys of a file that is being opened, in which some tables may be missing.
    ///
    /// - Parameter cipher: that of the open; nil without a key.
    /// - Throws: ``StoreError/encryption(_:)`` where the file is encrypted and no key was given, the reverse, or another
    ///   key was given; ``StoreError/damaged(table:reason:)``; the error of the host that supplies the key.
    static func loadKeys(in transaction: ReadTransaction, _ tables: [String: Table], _ cipher: StoreCipher?) throws {
        let key = FormatRecord.key
        guard let meta = tables[TableName.meta.rawValue],
            let value = try transaction.value(forKey: key.rawSpan, in: meta)
        else { throw StoreError.notAStore }
        let format = try formatRecord(of: value)
        guard format.features.isSealed else {
            if cipher != nil { throw StoreError.encryption(.notEncrypted) }
            return
        }
        guard let cipher else { throw StoreError.encryption(.keyMissing) }
        let place = KeysRecord.key
        try cipher.load(transaction.value(forKey: place.rawSpan, in: meta), of: format.storeID)
    }

    /// Throws unless `cipher` opens the keys of an open file, which another open in this process may have opened before.
    ///
    /// Where another process has replaced the host's key since, the other open continues with the key of `cipher`.
    ///
    /// - Throws: as ``loadKeys(in:_:_:)``; `EngineError.openWithOtherOptions` where the other open has no key.
    static func checkEncryption(of environment: Environment, _ cipher: StoreCipher?) throws {
        if environment.cipher === cipher { return }
        try environment.read { transaction in try loadKeys(in: transaction, environment.tables, cipher) }
        // An encrypted file that another open reads as it is stored, such as for its size.
        if cipher != nil, environment.cipher == nil { throw EngineError.openWithOtherOptions }
        if let cipher { (environment.cipher as? StoreCipher)?.continueWithKey(of: cipher) }
    }
}

extension WriteTransaction {
    /// Stores the record with the keys of a new file, and marks the file as sealed.
    mutating func setKeys(_ value: [UInt8], _ format: inout FormatRecord, in tables: Tables) throws(EngineError) {
        format.features.isSealed = true
        let key = KeysRecord.key
        try set(value.rawSpan, forKey: key.rawSpan, in: tables.meta)
    }
}
