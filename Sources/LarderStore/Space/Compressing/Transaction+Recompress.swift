internal import LarderEngine
internal import LarderFormat

/// The place at which compressing the rows of a group anew continues, and what was done before it.
struct CompressingPlace: Sendable {
    /// The last key of `rows` that was visited; nil at the beginning.
    var key: [UInt8]?
    /// The generation of that key, and whether its owner is of the group.
    var generation: (number: Int64, isOfGroup: Bool)?
    var summary = CompressionSummary()
}

extension Transaction {
    /// The most bytes of rows that one commit compresses, and the most rows that are collected at a time.
    private static let (batch, step) = (1 << 20, 256)

    /// Compresses rows of `group` anew that do not have the dictionary `number`, until the time is up or the commit is
    /// large.
    ///
    /// All generations are visited, those that wait to be removed included, so that no row is left with another
    /// dictionary of the group. A row that cannot be decompressed is left.
    ///
    /// - Returns: the place to continue at, and whether it is the end.
    mutating func recompressSome(
        of group: String, to number: UInt32, from start: CompressingPlace, isTimeUp: () -> Bool
    ) throws -> (place: CompressingPlace, isAtEnd: Bool) {
        var place = start
        var bytes = 0
        repeat {
            let (keys, isAtEnd) = try rowsToCompress(of: group, to: number, from: &place)
            for key in keys { bytes += try recompress(key, of: group, &place.summary) }
            if isAtEnd { return (place, true) }
        } while bytes < Self.batch && !isTimeUp()
        return (place, false)
    }

    /// Returns the next keys of rows to compress, and whether none follows; counts the rows that stay.
    private func rowsToCompress(
        of group: String, to number: UInt32, from place: inout CompressingPlace
    ) throws -> (keys: [[UInt8]], isAtEnd: Bool) {
        var keys: [[UInt8]] = []
        var visited = 0
        var (next, isAtEnd) = (place, true)
        try tables.forEachRaw(.rows, prefix: [], from: place.key, in: engine) { entry in
            if let key = next.key, entry.key.equals(key.rawSpan) { return true }
            if visited == 16 * Self.step || keys.count == Self.step {
                isAtEnd = false
                return false
            }
            visited += 1
            next.key = [UInt8](copying: entry.key)
            guard let (generation, row) = try? RowKeyCoding.decode(entry.key), row != nil else { return true }
            if next.generation?.number != generation {
                next.generation = (generation, try mayBe(of: group, generation))
            }
            if next.generation?.isOfGroup != true { return true }
            let value = entry.openedValue
            if let stated = CompressedValue(of: value), stated.dictionary == number {
                next.summary.add(plain: stated.plainSize, stored: value.byteCount, isCompressed: true)
            } else {
                keys.append([UInt8](copying: entry.key))
            }
            return true
        }
        place = next
        return (keys, isAtEnd)
    }

    /// Whether a generation is of a resource of `group`, or damage hides what it is of.
    private func mayBe(of group: String, _ generation: Int64) throws -> Bool {
        let key = RowKeyCoding.prefix(generation: generation)
        do {
            let owner = try tables.record(key.rawSpan, .rows, in: engine, OwnerRecord.init(decoding:))?.owner
            return owner?.group.equalsBytewise(group) ?? true
        } catch StoreError.damaged {
            return true
        }
    }

    /// Stores a row in the form that it has now; returns its plain size.
    private mutating func recompress(
        _ key: [UInt8], of group: String, _ summary: inout CompressionSummary
    ) throws -> Int {
        guard let plain = try plainRow(key) else { return 0 }
        let stored = try compressed(plain.rawSpan, of: group) ?? plain
        if try !isStored(stored, key) {
            let rows = tables.rows
            try writer.set(stored.rawSpan, forKey: key.rawSpan, in: rows)
        }
        summary.add(plain: plain.count, stored: stored.count, isCompressed: stored.count < plain.count)
        return plain.count
    }

    /// A copy of the plain value of a row; nil where it cannot be decompressed or opened. Damage that only its checksum
    /// shows stays in it.
    private func plainRow(_ key: [UInt8]) throws -> [UInt8]? {
        guard let value = try engine.value(forKey: key.rawSpan, in: tables.rows) else { return nil }
        guard (try? RecordHeader(decoding: value)) != nil else { return nil }
        return [UInt8](copying: value)
    }

    /// Whether a row is stored in this form.
    private func isStored(_ value: [UInt8], _ key: [UInt8]) throws -> Bool {
        guard let old = try engine.openedValue(forKey: key.rawSpan, in: tables.rows) else { return false }
        return old.equals(value.rawSpan)
    }
}
