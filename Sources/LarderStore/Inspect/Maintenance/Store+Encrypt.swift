internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Copies the last commit into a new store in the directory at `path`, which is encrypted with another key, or plain.
    ///
    /// A plain store becomes an encrypted one in this way, and the reverse: close the store, copy, destroy the old one,
    /// and rename the copy. Destroying a plain store does not erase its bytes from the medium. The copy has keys of its
    /// own. Works while others read and write, in this and other processes; the copy is packed. Holds one read view
    /// throughout. Blocks.
    ///
    /// ```swift
    /// try store.copy(to: path + ".encrypted", encryptedWith: .aes256(key))
    /// ```
    ///
    /// - Parameters:
    ///   - path: the directory of the copy, which is created when it does not exist. It must not hold a store.
    ///   - encryption: the encryption of the copy; nil for a plain one.
    ///   - progress: receives the number of entries copied so far, after each commit of the copy; an error that it throws ends the copy.
    /// - Throws: `EngineError.keyExists` when a store is there; `EngineError.diskFull`, `EngineError.closed`;
    ///   ``StoreError/readOnlyFormat`` for a store that only a newer version may write; the errors of `progress` and of
    ///   the host that supplies the key.
    /// - Complexity: reads and writes every record once.
    public func copy(
        to path: String, encryptedWith encryption: StoreEncryption?, progress: (Int) throws -> Void = { _ in }
    ) throws {
        try checkOpen()
        if try Self.readFormat(environment) == .readOnly { throw StoreError.readOnlyFormat }
        let id = try read { view in try view.format().storeID }
        let copied = try CopiedKeys(from: self, id: id, encryption)
        var renamed: Int64 = 0
        try environment.copy(
            to: path, values: .anew(copied.cipher), including: copied.includes,
            adding: { add in renamed = try copied.addRenamed(add) },
            change: { transaction, handles, sizes in
                let target = Tables(handles)
                guard var format = try target.format(in: transaction.reader) else { throw StoreError.notAStore }
                var counters = try target.counters(in: transaction.reader)
                try copied.complete(&transaction, target, &format)
                let size = sizes.filter { $0.key != TableName.meta.rawValue }.values.reduce(0, +)
                counters.storedSize = Int64(size) + renamed
                try transaction.setMeta(FormatRecord.key, format, in: target)
                try transaction.setMeta(CountersRecord.key, counters, in: target)
            }, progress: progress)
        try Self.completeFiles(at: path)
    }
}

/// The keys of a copy that is encrypted anew, and the records whose keys have another form there. FORMAT.md, "Sealed
/// values".
struct CopiedKeys {
    let cipher: StoreCipher?
    private let source: Store
    private let keys: [UInt8]?
    private let texts: KeyTexts

    private let names = CollectionKey.prefix(namesOf: nil)
    private let keysKey = KeysRecord.key

    /// - Parameter id: the identity of the copy.
    init(from source: Store, id: UUIDBytes, _ encryption: StoreEncryption?) throws {
        self.source = source
        cipher = encryption.map { StoreCipher($0) }
        keys = try cipher?.create(id)
        texts = cipher?.texts ?? .readable
    }

    private var isRenaming: Bool { source.tables.texts.areHashed || texts.areHashed }

    /// Whether the copy has the record of `key` in `table` under the same key.
    func includes(_ table: String, _ key: RawSpan) -> Bool {
        switch TableName(rawValue: table) {
        case .meta: !key.equals(keysKey.rawSpan)
        case .responses: !isRenaming
        case .collections: !isRenaming || !key.starts(with: names.rawSpan)
        default: true
        }
    }

    /// Adds the records that have other keys in the copy.
    ///
    /// - Parameter hasResponses: whether the copy has responses at all.
    /// - Returns: the bytes of keys and values of these records.
    func addRenamed(_ add: Environment.AddedEntry, hasResponses: Bool = true) throws -> Int64 {
        if !isRenaming { return 0 }
        return try source.environment.read { view in
            let names = try addNames(from: view, add)
            return hasResponses ? try names + addResponses(from: view, add) : names
        }
    }

    /// Stores the keys of the copy, in its last commit.
    func complete(_ transaction: inout WriteTransaction, _ target: Tables, _ format: inout FormatRecord) throws {
        format.features.isSealed = false
        guard let cipher, let keys else { return }
        // The values that the copy has by now are counted.
        try transaction.setKeys(cipher.begin(with: keys.rawSpan) ?? keys, &format, in: target)
    }

    private func addNames(from view: ReadTransaction, _ add: Environment.AddedEntry) throws -> Int64 {
        var size: Int64 = 0
        try source.tables.forEach(.collections, prefix: names, in: view) { _, body in
            let number = try decoding(.collections) { () throws(FormatError) in
                try CollectionNumberRecord(decoding: body).number
            }
            guard let name = try source.tables.collection(number: number, in: view)?.name else { return true }
            size += try put([RenamedRecord.record(of: name, number: number, texts)], add)
            return true
        }
        return size
    }

    private func addResponses(from view: ReadTransaction, _ add: Environment.AddedEntry) throws -> Int64 {
        var size: Int64 = 0
        try source.tables.forEachResponse(from: ResponseKey.responses, in: view) { place, record in
            guard let record else { return true }
            size += try put(RenamedRecord.records(of: record, variant: place.variant, texts), add)
            return true
        }
        return size
    }

    private func put(_ records: [RenamedRecord], _ add: Environment.AddedEntry) throws -> Int64 {
        for record in records { try add(record.table.rawValue, record.key, record.value) }
        return records.reduce(0) { $0 + $1.size }
    }
}
