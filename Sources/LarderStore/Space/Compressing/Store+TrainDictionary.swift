internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Makes a dictionary of the rows of a group, and compresses all of its rows with it.
    ///
    /// Rows of a few hundred bytes have too little to repeat by themselves: they get small by what they share. Call it
    /// when the first sync is done, and again when the content has become another one, such as once a month while the
    /// device charges. The store never calls it by itself, because it takes a second of processor time and rewrites the
    /// rows; rows that are written later use the dictionary that is there.
    ///
    /// Works in short commits that let other writes go first. Reads show the same content throughout. At the end the
    /// group's older dictionaries, which no row needs any more, are removed. A process that is killed meanwhile, or a
    /// cancellation, leaves rows of both kinds, which all can be read; the next call completes it. The file becomes
    /// smaller when it is compacted; until then the space is used for what is written later.
    ///
    /// ```swift
    /// if let summary = try await cache.store.trainDictionary(for: "translations") {
    ///     print(summary.plainBytes, "bytes in", summary.storedBytes)
    /// }
    /// ```
    ///
    /// - Parameter group: one of the groups of ``StoreOptions/compression``.
    /// - Returns: the rows of the group as they are stored now; nil, with nothing changed, where they are too few to learn
    ///   from, the group is none of those, or another process had the store open when this one marked it for compressed
    ///   rows.
    /// - Throws: ``StoreError/compressionMissing`` for a store that was opened without it; `CancellationError` between two
    ///   commits; the errors of a read and of a write.
    /// - Complexity: reads every key of rows, and reads and writes every row of the group once.
    @concurrent public func trainDictionary(for group: String) async throws -> CompressionSummary? {
        try checkWritable()
        guard let compression = shared.compression else { throw StoreError.compressionMissing }
        guard compression.compresses(group) else { return nil }
        var samples = RowSamples()
        try read { view in try samples.collect(from: group, tables, view.transaction) }
        let content = compression.codec.dictionary(
            from: samples.bytes, sizes: samples.sizes, limit: RowSamples.dictionarySize)
        guard let content else { return nil }
        let number = try await write { transaction in try transaction.addDictionary(content, of: group) }
        var (place, isAtEnd) = (CompressingPlace(), false)
        while !isAtEnd {
            try Task.checkCancellation()
            (place, isAtEnd) = try await writeBulk { [place] transaction in
                try transaction.recompressSome(
                    of: group, to: number, from: place, isTimeUp: self.shared.deadline())
            }
        }
        try await write { transaction in try transaction.removeDictionaries(of: group, below: number) }
        return place.summary
    }
}

/// Rows that a dictionary is made of, evenly spread over those of a group.
private struct RowSamples {
    /// The most bytes of a dictionary. Of rows with glosses of WordNet, one of three times the size saves a fortieth more.
    static let dictionarySize = 32_000
    /// The most bytes of all samples, and of one.
    private static let (totalSize, size) = (100 * dictionarySize, 16 << 10)

    var bytes: [UInt8] = []
    var sizes: [Int] = []

    mutating func collect(from group: String, _ tables: Tables, _ source: ReadTransaction) throws {
        let prefix = try Transaction.key { try $0.append(text: group) }
        var generations: [Int64] = []
        var total: Int64 = 0
        try tables.forEachReadable(.resources, prefix: prefix, in: source) { _, body throws(FormatError) in
            try ResourceRecord(decoding: body)
        } _: { (record: ResourceRecord) in
            guard record.state == .ready, let generation = record.liveGeneration else { return }
            generations.append(generation)
            total += record.byteCount
        }
        let stride = Int(clamping: total / Int64(Self.totalSize)) + 1
        var count = 0
        for generation in generations {
            try tables.forEachRaw(.rows, prefix: RowKeyCoding.prefix(generation: generation), in: source) { entry in
                count += 1
                if count % stride == 0 { append(entry) }
                return bytes.count < Self.totalSize
            }
        }
    }

    private mutating func append(_ entry: borrowing Entry) {
        guard let (_, row) = try? RowKeyCoding.decode(entry.key), row != nil,
            let body = try? Record.openUnverified(entry.value)
        else { return }
        let sample = body.extracting(0..<min(body.byteCount, Self.size))
        bytes.append(copying: sample)
        sizes.append(sample.byteCount)
    }
}
