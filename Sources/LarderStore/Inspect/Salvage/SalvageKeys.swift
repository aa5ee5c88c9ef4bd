internal import LarderEngine
internal import LarderFormat

/// The keys of a damaged store that is encrypted, from every record of keys that can still be read.
///
/// Each commit that changes the counters leaves an older copy of the record on a free page, so that the keys are rarely
/// lost.
struct SalvageKeys {
    /// The cipher with all keys found; the new store continues with it.
    let cipher: StoreCipher
    /// The stored value of the record for the new store.
    let value: [UInt8]

    /// Reads the file once.
    ///
    /// - Returns: nil without a key, which a plain store needs none of.
    /// - Throws: ``StoreError/encryption(_:)`` where the key opens none of the records, or none is left; the errors of the
    ///   host that supplies the key, of a read, and of `progress`.
    static func find(
        in reader: SalvageReader, _ encryption: StoreEncryption?, _ progress: (_ done: Int, _ total: Int) throws -> Void
    ) throws -> SalvageKeys? {
        guard let encryption else { return nil }
        var identities: [UUIDBytes] = []
        var records: [[UInt8]] = []
        // An encrypted copy of a plain store may still have the format record of that one on a free page.
        var hasPlainFormat = false
        let (formatKey, keysKey) = (FormatRecord.key, KeysRecord.key)
        try reader.forEachEntry(progress: progress) { entry in
            if entry.key == formatKey, let format = try? Store.formatRecord(of: entry.value.rawSpan) {
                if !format.features.isSealed {
                    hasPlainFormat = true
                } else if !identities.contains(format.storeID) {
                    identities.append(format.storeID)
                }
            } else if entry.key == keysKey, !records.contains(entry.value),
                (try? StoreCipher.decode(entry.value.rawSpan)) != nil
            {
                records.append(entry.value)
            }
        }
        if records.isEmpty { throw StoreError.encryption(hasPlainFormat ? .notEncrypted : .keysLost) }
        for identity in identities {
            let cipher = StoreCipher(encryption)
            // The first record is of the best origin: the others may only add keys.
            for (index, record) in records.enumerated() {
                do {
                    try cipher.load(record.rawSpan, of: identity)
                } catch is StoreError {
                    // Of another key, or of another store.
                    continue
                }
                // The host's key has opened one record; another one that it does not open is of an earlier key.
                for other in records[(index + 1)...].reversed() { try? cipher.addKeys(of: other.rawSpan) }
                return SalvageKeys(cipher: cipher, value: record)
            }
        }
        throw StoreError.encryption(identities.isEmpty ? .keysLost : .wrongKey)
    }

    /// Returns the plain value of an entry as one of `table`, or nil where it is not one.
    func plainValue(of entry: SalvagedEntry, in table: TableName) -> [UInt8]? {
        let isPlain = table == .meta && [FormatRecord.key, KeysRecord.key].contains(entry.key)
        return isPlain ? entry.value : cipher.plainValue(entry.value, of: entry.key, in: table)
    }
}

extension StoreCipher {
    /// Adds the data keys of another record that are not known, where the host's key opens them.
    fileprivate func addKeys(of record: RawSpan) throws {
        _ = try keys(with: record)
    }

    /// Opens a value; returns nil where it is not sealed for this place with a known key.
    fileprivate func plainValue(_ sealed: [UInt8], of key: [UInt8], in table: TableName) -> [UInt8]? {
        guard sealed.count >= overhead, let ring = keys() as? KeyRing else { return nil }
        var plain = [UInt8](repeating: 0, count: sealed.count - overhead)
        let isOpened = plain.withMutableRawSpan { output in
            ring.opens(sealed.rawSpan, of: key.rawSpan, in: table.rawValue, into: &output)
        }
        return isOpened ? plain : nil
    }
}
