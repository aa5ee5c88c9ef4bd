// Proves that record fields and outbox keys hold only valid values.

import LarderFormat
import Testing

@Suite struct `The fields of records` {
    @Test func `have only the states that FORMAT.md lists`() {
        #expect(ResourceState.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(GarbageKey.Kind.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(IndexState.allCases.map(\.rawValue) == [0, 1])
        var body = encode([.integer(4)])
        body += ResourceRecord().encode().dropFirst(2)
        #expect(throws: FormatError.invalidValue(field: "state", value: 4)) {
            try ResourceRecord(decoding: body.rawSpan)
        }
    }

    @Test func `refuse negative counts`() {
        let body = encode((0..<9).map { _ in .integer(1) } + [.integer(-1)])
        #expect(throws: FormatError.invalidValue(field: "storedSize", value: -1)) {
            try CountersRecord(decoding: body.rawSpan)
        }
    }

    @Test func `are refused where they do not fit together`() {
        func expect<Record: TupleRecord>(_ record: Record, _ field: String, _ value: Int64) {
            let body = record.encode()
            #expect(throws: FormatError.invalidValue(field: field, value: value)) {
                _ = try Record(decoding: body.rawSpan)
            }
        }
        expect(CollectionMembershipRecord(count: 0), "times", 0)
        expect(BlobRecord(byteCount: 1, chunkSize: 0, digest: 1), "chunkSize", 0)
        expect(SaltRecord(salt: [1, 2]), "salt", 2)
        var filter = Example.filter
        filter.run = .max
        expect(filter, "run", .max)
        var session = StoredSession(state: .signedOut, account: nil, changedAt: 1, signedInAt: 1)
        session.state = .expired
        expect(session, "account", 2)
        var response = Example.response
        response.part = ResponseRecord.Part(start: 5, end: 4, total: nil)
        expect(response, "partEnd", 4)
    }

    @Test func `keep a digest of all ones`() throws {
        let record = Example.generation(byteCount: 0, digest: .max)
        let body = record.encode()
        let read = try GenerationRecord(decoding: body.rawSpan)
        #expect(read.digest == .max)
    }

    @Test func `of an unknown kind of journal record are kept as they are`() throws {
        let event = JournalRecord.Event.other(kind: "recovery", elements: [.integer(3), .text("a"), .null])
        let body = JournalRecord(time: 5, event: event).encode()
        let read = try JournalRecord(decoding: body.rawSpan)
        #expect(read.event == event)
        #expect(read.encode() == body)
    }

    @Test func `are decoded from keys`() throws {
        let resource = ResourceKey("translations", -3)
        var buffer = KeyBuffer()
        try ResourceRecord.appendKey(resource, to: &buffer)
        let resourceKey = buffer.array()
        #expect(try ResourceRecord.decodeKey(resourceKey.rawSpan) == resource)
        #expect(resourceKey.starts(with: ResourceRecord.prefix(group: "translations")))
        buffer.removeAll()
        try MemberRecord.appendKey(filter: 300, resource: resource, to: &buffer)
        let memberKey = buffer.array()
        let member = try MemberRecord.decodeKey(memberKey.rawSpan)
        #expect(member.filter == 300 && member.resource == resource)
        #expect(memberKey.starts(with: MemberRecord.prefix(filter: 300)))
        buffer.removeAll()
        try GenerationRecord.appendKey(.max, to: &buffer)
        let generationKey = buffer.array()
        #expect(try GenerationRecord.decodeKey(generationKey.rawSpan) == .max)
        #expect(try FilterState.decodeKey(generationKey.rawSpan) == .max)
        #expect(try JournalRecord.decodeKey(generationKey.rawSpan) == .max)
    }
}

@Suite struct `The keys of the outbox` {
    private func bytes(_ key: OutboxKey) throws -> [UInt8] {
        var buffer = KeyBuffer()
        try key.append(to: &buffer)
        return buffer.array()
    }

    @Test func `distinguish deduplication, heads, bodies and deliveries, in this order`() throws {
        let keys: [OutboxKey] = [
            .deduplication(hash: .max), .deduplication(hash: .max >> 1), .head(lane: "\u{10FFFF}", sequence: .max),
            .body(sequence: 0), .body(sequence: .max), .delivery(entryID: UUIDBytes(high: 0, low: 0)),
        ]
        let encoded = try keys.map { try bytes($0) }
        for (left, right) in zip(encoded, encoded.dropFirst()) { #expect(precedes(left, right)) }
        for (key, encoded) in zip(keys, encoded) {
            #expect(try OutboxKey(decoding: encoded.rawSpan) == key)
            #expect(encoded.starts(with: OutboxKey.heads) == (key == keys[2]))
            #expect(encoded.starts(with: OutboxKey.deliveries) == (key == keys[5]))
        }
    }

    @Test func `of one lane are in the order of enqueuing`() throws {
        var previous: [UInt8] = OutboxHeadRecord.prefix(lane: "notes")
        for sequence in [1, 2, 255, 256, 65_536] as [Int64] {
            let key = try bytes(.head(lane: "notes", sequence: sequence))
            #expect(precedes(previous, key))
            previous = key
        }
    }

    @Test func `find an entry by account and deduplication key`() throws {
        var draft = Example.head.draft
        #expect(draft.deduplicationHash == 0x4CFE_D050_88C4_04E3)
        draft.account = nil
        #expect(draft.deduplicationHash != Example.head.draft.deduplicationHash)
        draft.deduplicationKey = nil
        #expect(draft.deduplicationHash == nil)
    }

    @Test func `with a byte flipped or missing are an error or another whole key`() throws {
        for key in [OutboxKey.head(lane: "notes", sequence: 300), .deduplication(hash: 1 << 40), .body(sequence: 300)] {
            let whole = try bytes(key)
            for damaged in flips(of: whole) + truncations(of: whole) + [[], whole + [0x14]] {
                guard let read = try? OutboxKey(decoding: damaged.rawSpan) else { continue }
                #expect(read != key)
                #expect(try bytes(read) == damaged)
            }
        }
    }

    @Test func `refuse a lane that is too long`() {
        #expect(throws: FormatError.keyTooLong(actual: 302, limit: 256)) {
            try bytes(.head(lane: String(repeating: "l", count: 300), sequence: 1))
        }
    }
}
