internal import LarderEngine
internal import LarderFormat

// Only the table `garbage` names discarded ranges, and blobs that are being written. An open that finds the table
// missing creates it, and fills it once by a walk over the other tables.

extension Transaction {
    /// Records in `garbage` everything that no record leads to.
    ///
    /// - Parameter look: the state of the file at the open. A generation with a record that is not shown counts only
    ///   when no other process, which may be writing it, had the store open.
    /// - Complexity: a lookup or two for each generation, blob and index of a generation.
    mutating func addLostGarbage(_ look: OpeningState) throws {
        if look.isExclusive {
            for number in try tables.unlinkedGenerations(in: engine) { try discardStaging(number) }
        }
        let generations = try tables.numbers(in: .rows, from: RowKeyCoding.prefix(generation: 0), engine) { key in
            let number = try RowKeyCoding.decode(key).generation
            return (number, { RowKeyCoding.prefix(generation: number + 1) })
        }
        let blobs = try tables.numbers(in: .blobs, from: BlobKey.chunks(of: 0), engine) { key in
            guard case .chunk(let number, _) = try BlobKey(decoding: key) else { return nil }
            return (number, { BlobKey.chunks(of: number + 1) })
        }
        let indexes = try tables.numbers(in: .indexes, from: IndexEntryKey.prefix(generation: 0), engine) { key in
            guard case .entry(let entry) = try IndexKey(decoding: key) else { return nil }
            let generation = if case .generation(let number) = entry.scope { number } else { Int64(0) }
            return (entry.index, { IndexEntryKey.prefix(generation: generation, index: entry.index + 1) })
        }
        for (kind, numbers) in [(GarbageKey.Kind.generation, generations), (.blob, blobs), (.index, indexes)] {
            for key in numbers.map({ GarbageKey(kind, $0) }) {
                let own = key.record
                if try engine.value(forKey: own.key.rawSpan, in: tables[own.table]) == nil { try addGarbage(key) }
            }
        }
    }
}

extension Tables {
    /// The generations with a record that their owners do not show.
    fileprivate func unlinkedGenerations(in source: ReadTransaction) throws -> [Int64] {
        var found: [Int64] = []
        try forEachReadable(.generations, in: source) { key, body throws(FormatError) in
            (try GenerationRecord.decodeKey(key), try GenerationRecord(decoding: body).owner)
        } _: { (number: Int64, owner: ResourceKey) in
            // A damaged owner record is rebuilt with the generation that it showed.
            guard let resource = try? resource(owner, in: source), resource.liveGeneration != number else { return }
            found.append(number)
        }
        return found
    }

    /// The numbers that the keys of a table name.
    ///
    /// - Parameter read: returns the number that a key names, and the key at which the next one begins.
    fileprivate func numbers(
        in name: TableName, from start: [UInt8], _ source: ReadTransaction,
        _ read: (RawSpan) throws -> (number: Int64, next: () -> [UInt8])?
    ) throws -> Set<Int64> {
        var found: Set<Int64> = []
        try source.withCursor(in: self[name]) { cursor in
            var place = start
            while let entry = try cursor.seek(place.rawSpan) {
                if let named = try? read(entry.key), named.number < .max {
                    found.insert(named.number)
                    place = named.next()
                } else {
                    // No writer made this key; the next one may be valid.
                    place = [UInt8](copying: entry.key) + [0]
                }
            }
        }
        return found
    }
}
