internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks `collections`. FORMAT.md, "Invariants".
    func verifyCollections(_ source: ReadTransaction) throws {
        var walked = WalkedCollections()
        try walk(.collections, source) { entry in
            guard let key = try key(of: entry, .collections, CollectionKey.init(decoding:)) else { return }
            switch key {
            case .name: try verifyName(entry, source)
            case .membership(let row, let number):
                highest.collection = max(highest.collection, number)
                walked.holders[number, default: 0] += 1
                _ = try record(
                    of: entry, .collections, at: "holder of \(row) in collection \(number)",
                    CollectionMembershipRecord.init(decoding:))
            case .record(let number):
                try compareHolders(of: walked.current, walked, source)
                walked.current = try verifyCollection(entry, number, source)
                walked.numbers.insert(number)
            case .chunk(let number, let chunk): try verifyChunk(entry, number, chunk, &walked)
            case .validators(let row):
                _ = try record(
                    of: entry, .collections, at: "single answer \(row)", RowValidatorsRecord.init(decoding:))
            }
        }
        if broken.contains(.collections) { return }
        try compareHolders(of: walked.current, walked, source)
        for number in walked.holders.keys.sorted() where !walked.numbers.contains(number) {
            try reportFinding(.orphan, in: .collections, at: "collection \(number)", "it holds rows, and has no record")
        }
    }

    /// Checks a name and the record it names.
    private func verifyName(_ entry: borrowing Entry, _ source: ReadTransaction) throws {
        let location = "name \(Self.bytes(entry.key))"
        guard let place = try record(of: entry, .collections, at: location, CollectionNumberRecord.init(decoding:))
        else { return }
        highest.collection = max(highest.collection, place.number)
        try ignoringDamage {
            guard let named = try tables.collection(number: place.number, in: source) else {
                return try reportFinding(
                    .index, in: .collections, at: location, "the collection \(place.number) has no record")
            }
            let key = try Transaction.key { try CollectionKey.append(name: named.name, tables.texts, to: &$0) }
            if !entry.key.equals(key.rawSpan) {
                try reportFinding(
                    .index, in: .collections, at: location, "the collection \(place.number) has another name")
            }
        }
    }

    /// Checks a record and the name that refers to it.
    private func verifyCollection(
        _ entry: borrowing Entry, _ number: Int64, _ source: ReadTransaction
    ) throws -> WalkedCollections.Current? {
        let location = "collection \(number)"
        try checkPositive(number, in: .collections, at: location)
        highest.collection = max(highest.collection, number)
        guard let record = try record(of: entry, .collections, at: location, CollectionRecord.init(decoding:)) else {
            return nil
        }
        do {
            let place = try tables.record(.collections, in: source, as: CollectionNumberRecord.self) {
                try CollectionKey.append(name: record.name, tables.texts, to: &$0)
            }
            if place?.number != number {
                try reportFinding(.index, in: .collections, at: location, "its name does not lead to it")
            }
        } catch StoreError.invalid(let reason) {
            try reportDamage(reason, in: .collections, at: location)
        } catch is StoreError {
            // A damaged name is a finding of its own.
        }
        return WalkedCollections.Current(number: number, record: record)
    }

    private func verifyChunk(
        _ entry: borrowing Entry, _ number: Int64, _ chunk: Int64, _ walked: inout WalkedCollections
    ) throws {
        let location = "collection \(number) chunk \(chunk)"
        if entry.value.byteCount > Limits.collectionChunk {
            try reportFinding(.undecodable, in: .collections, at: location, "a chunk of \(entry.value.byteCount) bytes")
        }
        guard let current = walked.current, current.number == number else {
            if !walked.numbers.contains(number) {
                try reportFinding(.orphan, in: .collections, at: location, "the collection has no record")
            }
            // Its checksum can be verified all the same.
            _ = try record(of: entry, .collections, at: location) { (_) throws(FormatError) in }
            return
        }
        if chunk != current.chunks {
            try reportFinding(.count, in: .collections, at: location, "chunk \(current.chunks) should stand here")
        }
        walked.current?.chunks += 1
        let content = try record(of: entry, .collections, at: location) { (body) throws(FormatError) in
            try CollectionChunk(
                decoding: body, mainResource: current.record.mainResource, type: current.record.name.className)
        }
        guard let content else {
            walked.current?.isWhole = false
            return
        }
        for row in content.rows { walked.current?.times[row, default: 0] += 1 }
    }

    /// Compares the rows in a collection's chunks with its record and its holders.
    private func compareHolders(
        of current: WalkedCollections.Current?, _ walked: WalkedCollections, _ source: ReadTransaction
    ) throws {
        guard let current else { return }
        let location = "collection \(current.number)"
        try compare(current.record.chunkCount, current.chunks, "chunks", in: .collections, at: location)
        guard current.isWhole else { return }
        let rows = current.times.values.reduce(0, +)
        try compare(current.record.rowCount, rows, "rows", in: .collections, at: location)
        let holders = walked.holders[current.number] ?? 0
        if holders != current.times.count {
            try reportFinding(
                .index, in: .collections, at: location, "it has \(current.times.count) rows, and \(holders) holders")
        }
        for (row, times) in current.times.sorted(by: { $0.key < $1.key }) {
            do {
                let holder = try tables.record(.collections, in: source, as: CollectionMembershipRecord.self) {
                    try CollectionKey.append(membershipOf: row, number: current.number, to: &$0)
                }
                if holder?.count == times { continue }
                try reportFinding(
                    .index, in: .collections, at: location, "the holder of \(row) is missing or miscounts")
            } catch StoreError.invalid(let reason) {
                try reportDamage(reason, in: .collections, at: location)
            } catch is StoreError {
                // A damaged holder is a finding of its own.
            }
        }
    }
}

/// The content of `collections` read so far: names first, then holders, then each record with its chunks.
private struct WalkedCollections {
    struct Current {
        let number: Int64
        let record: CollectionRecord
        var chunks: Int64 = 0
        /// Whether every chunk could be read.
        var isWhole = true
        /// The number of times each row was named.
        var times: [RowKey: Int64] = [:]
    }

    /// The number of holders of each collection.
    var holders: [Int64: Int] = [:]
    /// The collections that have a record, damaged or not.
    var numbers: Set<Int64> = []
    var current: Current?
}
