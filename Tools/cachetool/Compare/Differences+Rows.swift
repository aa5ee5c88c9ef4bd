import LarderFormat
import LarderStore

extension Differences {
    /// Compares the visible rows of one resource, both in key order, for any number of rows.
    mutating func compareRows(
        of left: Resource, _ right: Resource, _ first: borrowing ReadView, _ second: borrowing ReadView
    ) throws {
        var mine = RowStream(left)
        var theirs = RowStream(right)
        var a = try mine.next(first)
        var b = try theirs.next(second)
        while a != nil || b != nil {
            if let row = a, b.map({ row.place.lexicographicallyPrecedes($0.place) }) ?? true {
                try report(.a, "row", row.name(of: left.key))
                a = try mine.next(first)
            } else if let row = b, a.map({ row.place.lexicographicallyPrecedes($0.place) }) ?? true {
                try report(.b, "row", row.name(of: right.key))
                b = try theirs.next(second)
            } else if let row = a, let other = b {
                let differs = differing([
                    ("payload", row.payload == other.payload), ("updatedAt", row.updatedAt == other.updatedAt),
                    ("codec", row.codec == other.codec),
                ])
                if !differs.isEmpty { try report(.both, "row", row.name(of: left.key), differs) }
                a = try mine.next(first)
                b = try theirs.next(second)
            }
        }
    }
}

/// The visible rows of one resource, read page by page.
private struct RowStream {
    struct Item {
        /// The key without its generation; it sorts the same way in every store.
        let place: ArraySlice<UInt8>
        let type: String
        let key: String
        let updatedAt: Int64
        let codec: PayloadCodec
        let payload: [UInt8]

        func name(of resource: ResourceKey) -> [String] { [resource.description, type, key] }
    }

    private let prefix: [UInt8]?
    private let seed: UInt64
    private var page: [RawRecord] = []
    private var position = 0
    private var last: [UInt8]

    /// Starts after the owner row.
    init(_ resource: Resource) {
        let generation = resource.state == .ready ? resource.generation : nil
        prefix = generation.map(RowKeyCoding.prefix(generation:))
        last = prefix ?? []
        seed = Checksum.ownerSeed(resource.key)
    }

    mutating func next(_ view: borrowing ReadView) throws -> Item? {
        guard let prefix else { return nil }
        if position == page.count {
            try Interrupt.check()
            page = try view.rawRecords(of: .rows, after: last, prefix: prefix)
            position = 0
            guard let end = page.last else { return nil }
            last = end.key
        }
        defer { position += 1 }
        return try item(page[position], prefix: prefix.count)
    }

    private func item(_ record: RawRecord, prefix: Int) throws -> Item {
        do throws(FormatError) {
            let body = try Record.open(record.value.rawSpan, key: record.key.rawSpan, seed: seed)
            let row = try RowBody(body: body)
            guard let name = try RowKeyCoding.decode(record.key.rawSpan).row else {
                throw FormatError.truncated(offset: record.key.count)
            }
            return Item(
                place: record.key[prefix...], type: name.type, key: name.key, updatedAt: row.updatedAt,
                codec: try RecordHeader(decoding: record.value.rawSpan).payloadCodec(),
                payload: [UInt8](copying: row.payload))
        } catch {
            throw StoreError.damaged(table: TableName.rows.rawValue, reason: error)
        }
    }
}
