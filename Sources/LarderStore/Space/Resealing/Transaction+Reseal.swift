internal import LarderEngine
internal import LarderFormat

/// The place at which sealing anew continues.
struct ResealingPlace: Hashable, Sendable {
    var table = TableName.meta
    /// The last key that was visited; nil at the beginning of the table.
    var key: [UInt8]?

    /// The beginning of the next table; nil behind the last one.
    var nextTable: ResealingPlace? {
        let tables = TableName.allCases
        guard let index = tables.firstIndex(of: table), index + 1 < tables.count else { return nil }
        return ResealingPlace(table: tables[index + 1])
    }
}

extension Transaction {
    /// The most bytes that one commit seals anew, and that are sealed between two looks at the time.
    private static let (batch, step) = (4 << 20, 256 << 10)

    /// Stores the record of keys that `change` makes of the stored one; nil leaves it.
    mutating func changeKeys(_ change: (RawSpan?) throws -> [UInt8]?) throws {
        let key = KeysRecord.key
        guard let value = try change(engine.value(forKey: key.rawSpan, in: tables.meta)) else { return }
        let meta = tables.meta
        try writer.set(value.rawSpan, forKey: key.rawSpan, in: meta)
    }

    /// Removes the keys below `number`, which seal no value any more.
    mutating func removeKeys(below number: UInt32) throws {
        try changeKeys { value in try StoreCipher.value(value, withoutKeysBelow: number) }
    }

    /// Seals values anew that are sealed with keys below `number`, until the time is up or the commit is large.
    ///
    /// A value that does not open is left: it is damaged, and its key cannot help it.
    ///
    /// - Returns: the place to continue at; nil at the end.
    mutating func resealSome(
        below number: UInt32, from start: ResealingPlace, isTimeUp: () -> Bool
    ) throws -> ResealingPlace? {
        var place = start
        var sealed = 0
        repeat {
            let (keys, end) = try sealedKeys(below: number, from: place)
            for key in keys {
                sealed += try reseal(key, in: place.table)
                place.key = key
                if isTimeUp() { return place }
            }
            if let end {
                place.key = end
            } else if let next = place.nextTable {
                place = next
            } else {
                return nil
            }
        } while sealed < Self.batch && !isTimeUp()
        return place
    }

    /// Returns the next keys whose values are sealed with a key below `number`.
    ///
    /// - Returns: the keys, and the last key that was visited; nil for that at the end of the table.
    private func sealedKeys(
        below number: UInt32, from place: ResealingPlace
    ) throws -> (keys: [[UInt8]], end: [UInt8]?) {
        var keys: [[UInt8]] = []
        var (bytes, visited) = (0, 0)
        var end: [UInt8]?
        try tables.forEachRaw(place.table, prefix: [], from: place.key, in: engine.stored) { entry in
            if let key = place.key, entry.key.equals(key.rawSpan) { return true }
            visited += 1
            if let used = SealedValue.keyNumber(of: entry.value), used < number {
                keys.append([UInt8](copying: entry.key))
                bytes += entry.value.byteCount
            }
            if bytes < Self.step, visited < 1024 { return true }
            end = [UInt8](copying: entry.key)
            return false
        }
        return (keys, end)
    }

    private mutating func reseal(_ key: [UInt8], in name: TableName) throws -> Int {
        guard let value = try openedValue(key, in: name) else { return 0 }
        let table = tables[name]
        try writer.set(value.rawSpan, forKey: key.rawSpan, in: table)
        return value.count
    }

    /// A copy of the value as it was before it was sealed; nil where it does not open.
    private func openedValue(_ key: [UInt8], in name: TableName) throws -> [UInt8]? {
        guard let value = try engine.openedValue(forKey: key.rawSpan, in: tables[name]) else { return nil }
        do throws(FormatError) {
            _ = try RecordHeader(decoding: value)
        } catch .notAuthentic {
            return nil
        } catch {
            // A value with another error has been opened: it is sealed anew, unchanged. One is that it is compressed.
        }
        return [UInt8](copying: value)
    }
}
