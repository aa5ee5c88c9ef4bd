import LarderFormat

/// The kinds of keys, each with the reading and the writing of one key.
enum KeyKind: Int, CaseIterable {
    case elements, blob, buffer, collection, garbage, index, outbox, overlay, response, row, resource, member, number

    /// Reads a key and writes what was read.
    ///
    /// - Returns: false for a key whose writer needs more than the key has.
    /// - Throws: the error of the reader or of the writer.
    func rewrite(_ key: RawSpan, to buffer: inout KeyBuffer) throws(FormatError) -> Bool {
        switch self {
        case .elements: return try Self.rewriteElements(key)
        case .blob: try BlobKey(decoding: key).append(to: &buffer)
        case .buffer: try BufferKey(decoding: key).append(to: &buffer)
        case .collection: return try Self.rewrite(CollectionKey(decoding: key), to: &buffer)
        case .garbage:
            let garbage = try GarbageKey(decoding: key)
            require(garbage.bytes.rawSpan.equals(key), "\(garbage) is written as \(garbage.bytes)")
            require(garbage.isRemovable != garbage.bytes.lexicographicallyPrecedes(GarbageKey.removable), "\(garbage)")
            return false
        case .index: return try Self.rewrite(IndexKey(decoding: key), to: &buffer)
        case .outbox: try OutboxKey(decoding: key).append(to: &buffer)
        case .overlay:
            let (row, sequence) = try OverlayKey.decode(key)
            if let sequence {
                try OverlayKey.append(row, sequence: sequence, to: &buffer)
            } else {
                try OverlayKey.append(row, to: &buffer)
            }
        case .response: try ResponseKey(decoding: key).append(to: &buffer)
        case .row:
            let (generation, row) = try RowKeyCoding.decode(key)
            try buffer.append(integer: generation)
            guard let row else { return true }
            buffer.removeAll()
            try RowKeyCoding.append(generation: generation, type: row.type, key: row.key, to: &buffer)
        case .resource: try ResourceRecord.appendKey(ResourceRecord.decodeKey(key), to: &buffer)
        case .member:
            let (filter, resource) = try MemberRecord.decodeKey(key)
            try MemberRecord.appendKey(filter: filter, resource: resource, to: &buffer)
        case .number: try FilterState.appendKey(FilterState.decodeKey(key), to: &buffer)
        }
        return true
    }

    /// Reads a tuple of any elements, which may be longer than a key.
    private static func rewriteElements(_ tuple: RawSpan) throws(FormatError) -> Bool {
        var reader = TupleReader(tuple)
        var writer = TupleWriter()
        while !reader.isAtEnd {
            writer.append(element: try reader.element())
        }
        require(writer.bytes.rawSpan.equals(tuple), "a tuple is written as \(writer.bytes)")
        return false
    }

    private static func rewrite(_ key: CollectionKey, to buffer: inout KeyBuffer) throws(FormatError) -> Bool {
        switch key {
        case .name(let className, let queryPrefix, let hash):
            // The key of a name is written from the whole name, which the key does not have.
            try buffer.append(integer: 0)
            try buffer.append(text: className)
            try buffer.append(text: queryPrefix)
            try buffer.append(integer: hash)
        case .membership(let row, let number): try CollectionKey.append(membershipOf: row, number: number, to: &buffer)
        case .record(let number): try CollectionKey.append(number: number, to: &buffer)
        case .chunk(let number, let chunk): try CollectionKey.append(number: number, chunk: chunk, to: &buffer)
        case .validators(let row): try CollectionKey.append(validatorsOf: row, to: &buffer)
        }
        return true
    }

    private static func rewrite(_ key: IndexKey, to buffer: inout KeyBuffer) throws(FormatError) -> Bool {
        switch key {
        case .declaration(let number): try IndexRecord.appendKey(number, to: &buffer)
        case .entry(let entry):
            // The address that a hash stands for is in the body.
            guard case .row(let type, let key) = entry.address else { return false }
            let body = try IndexEntryKey.encode(
                entry.scope, index: entry.index, term: entry.term, type: type, key: key, to: &buffer)
            return body.isEmpty
        }
        return true
    }

    /// Keys of this kind, from which the fuzzer begins.
    func samples(_ row: RowKey) -> [[UInt8]] {
        switch self {
        case .elements:
            return [
                TupleWriter.bytes { writer in
                    writer.appendNull()
                    writer.append(bytes: [0, 255, 1])
                    writer.append(bool: true)
                    writer.append(uuid: UUIDBytes(high: 1, low: 2))
                    writer.append(recordKey: "-12")
                    writer.append(recordKey: "a\0b")
                    writer.append(integer: .min)
                }
            ]
        case .blob: return [Self.key { try BlobKey.head(7).append(to: &$0) }]
        case .buffer:
            return [
                Self.key { try BufferKey.point(BufferName("locations", account: "a"), sequence: 3).append(to: &$0) }
            ]
        case .collection:
            return [
                Self.key { try CollectionKey.append(membershipOf: row, number: 2, to: &$0) },
                Self.key { try CollectionKey.append(number: 2, chunk: 0, to: &$0) },
                Self.key {
                    try CollectionKey.append(name: CollectionName(class: "verse", query: "a=1"), .readable, to: &$0)
                },
            ]
        case .garbage: return [GarbageKey(.blob, 9).bytes]
        case .index:
            let terms: [IndexTerm] = [.null, .number(IndexNumber(whole: 1, rest: 0)), .text([97], isTruncated: false)]
            return terms.map { term in
                Self.key {
                    _ = try IndexEntryKey.encode(
                        .overlaid(row.resource), index: 3, term: term, type: row.type, key: row.key, to: &$0)
                }
            }
        case .outbox: return [Self.key { try OutboxKey.head(lane: "notes", sequence: 12).append(to: &$0) }]
        case .overlay:
            return [
                Self.key { try OverlayKey.append(row, to: &$0) },
                Self.key { try OverlayKey.append(row, sequence: 4, to: &$0) },
            ]
        case .response:
            let address = ResponseAddress(key: "GET https://example.org/a", variant: 1, .readable)
            return [Self.key { try ResponseKey.tag("music", address).append(to: &$0) }]
        case .row: return [Self.key { try RowKeyCoding.append(generation: 5, type: "verse", key: "10", to: &$0) }]
        case .resource: return [Self.key { try ResourceRecord.appendKey(row.resource, to: &$0) }]
        case .member: return [Self.key { try MemberRecord.appendKey(filter: 1, resource: row.resource, to: &$0) }]
        case .number: return [Self.key { try FilterState.appendKey(70_000, to: &$0) }]
        }
    }

    private static func key(_ append: (inout KeyBuffer) throws -> Void) -> [UInt8] {
        var buffer = KeyBuffer()
        try? append(&buffer)
        return buffer.array()
    }
}
