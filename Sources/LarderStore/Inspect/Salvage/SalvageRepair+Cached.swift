internal import LarderEngine
internal import LarderFormat

// Blobs, responses and the stored answers of queries: content that can be fetched again, except the blobs of entries.

extension SalvageRepair {
    /// Returns the blobs of which every chunk is there.
    func wholeBlobs(_ transaction: inout Transaction) throws -> [Int64: BlobRecord] {
        var heads: [Int64: BlobRecord] = [:]
        var chunks: [Int64: (count: Int64, digest: UInt64)] = [:]
        try transaction.tables.forEachRaw(.blobs, prefix: [], in: transaction.engine) { entry in
            switch try? BlobKey(decoding: entry.key) {
            case .head(let number):
                heads[number] = try? BlobRecord(decoding: entry.value.extracting(droppingFirst: RecordHeader.size))
            case .chunk(let number, _):
                let checksum = (try? Record.checksum(of: entry.value)) ?? 0
                chunks[number, default: (0, 0)].count += 1
                chunks[number, default: (0, 0)].digest &+= checksum
            case nil: break
            }
            return true
        }
        // Chunks of a blob whose head is lost are removed with it.
        for number in chunks.keys.sorted() where heads[number] == nil {
            try transaction.addGarbage(GarbageKey(.blob, number))
        }
        return heads.filter { number, record in
            let found = chunks[number] ?? (0, 0)
            return found.count == record.chunkCount && found.digest == record.digest
        }
    }

    /// Removes the responses whose bodies are not whole, and stores the tags of the others.
    ///
    /// - Returns: the blobs that the others name.
    mutating func repairResponses(
        _ blobs: [Int64: BlobRecord], _ transaction: inout Transaction
    ) throws -> Set<Int64> {
        var found: [ResponseEntry] = []
        let prefix = ResponseKey.responses
        try transaction.tables.forEachRaw(.responses, prefix: prefix, in: transaction.engine) { entry in
            if case .response(let place)? = try? ResponseKey(decoding: entry.key),
                let record = try? ResponseRecord(
                    decoding: entry.value.extracting(droppingFirst: RecordHeader.size))
            {
                found.append(ResponseEntry(place: place, record: record))
            }
            return true
        }
        var named: Set<Int64> = []
        for response in found {
            let blob = response.record.blob
            if blobs[blob]?.byteCount == response.record.byteCount, named.insert(blob).inserted {
                try transaction.putIndex(of: response)
            } else {
                let key = try Transaction.key { try ResponseKey.response(response.place).append(to: &$0) }
                try transaction.remove(key: key, in: .responses)
                report.droppedResponses += 1
            }
        }
        return named
    }

    /// Discards the blobs that no record names any more.
    func discardBlobs(except named: Set<Int64>, _ transaction: inout Transaction) throws {
        var unnamed: [Int64] = []
        try transaction.tables.forEachRaw(.blobs, prefix: [], in: transaction.engine) { entry in
            guard case .head(let number)? = try? BlobKey(decoding: entry.key) else { return true }
            if !named.contains(number) { unnamed.append(number) }
            return true
        }
        for number in unnamed { try transaction.discardBlob(number) }
    }

    /// Removes all stored answers of queries where any record of them is lost, and the answers for single rows of
    /// resources that are not whole: the server would confirm an answer of which rows are missing.
    mutating func repairCollections(_ transaction: inout Transaction) throws {
        var prefixes: [[UInt8]] = []
        if loader.hasLoss(of: .collections) {
            prefixes = [[]]
            report.hasDroppedCollections = true
        } else {
            prefixes = report.incompleteResources.map { CollectionKey.prefix(validatorsOf: $0) }
        }
        for prefix in prefixes {
            var keys: [[UInt8]] = []
            try transaction.tables.forEachRaw(.collections, prefix: prefix, in: transaction.engine) { entry in
                keys.append([UInt8](copying: entry.key))
                return true
            }
            for key in keys { try transaction.remove(key: key, in: .collections) }
        }
    }
}
