// Proves that records are keyed, sealed and decoded as the vectors of FORMAT.md show.

import LarderFormat
import Testing

@Suite struct `The records in FORMAT.md` {
    @Test func `have the keys it shows`() throws {
        let records = try FormatDocument().records
        #expect(records.count >= 13)
        for record in records {
            let shown = try record.bytes("key bytes")
            #expect(encode(try record.elements("key")) == shown, "\(record.name)")
            #expect(try decode(shown) == record.elements("key"))
        }
    }

    @Test func `open to the bodies it shows, and seal to the same bytes`() throws {
        for record in try FormatDocument().records {
            let key = try record.bytes("key bytes")
            let value = try record.bytes("value bytes")
            let seed = try record.seed()
            let body = try open(value, key: key, seed: seed)
            if record.lines.contains(where: { $0.left == "payload" }) {
                let codec = try #require(UInt8(try record.value("codec")).flatMap(PayloadCodec.init(rawValue:)))
                let updatedAt = try #require(Int64(try record.value("updatedAt")))
                let (readUpdatedAt, readPayload) = try row(body)
                #expect(readUpdatedAt == updatedAt)
                #expect(try record.elements("payload") == [.bytes(readPayload)])
                #expect(try header(value).payloadCodec() == codec)
                var sealed: [UInt8] = [1, 2, 3]
                Record.seal(
                    row: readPayload.rawSpan, updatedAt: updatedAt, codec: codec, key: key.rawSpan, seed: seed,
                    into: &sealed)
                #expect(hexadecimal(sealed) == hexadecimal(value))
            } else if record.lines.contains(where: { $0.left == "raw body" }) {
                #expect(try hexadecimal(body) == hexadecimal(record.bytes("raw body")))
                let codec = UInt8((try? record.value("codec")) ?? "0") ?? 255
                #expect(try header(value).codec == codec)
                let sealed = Record.seal(body: body.rawSpan, codec: codec, key: key.rawSpan, seed: seed)
                #expect(hexadecimal(sealed) == hexadecimal(value))
            } else {
                #expect(try decode(body) == record.elements("body"), "\(record.name)")
                let encoded = encode(try record.elements("body"))
                let sealed = seal(body: encoded, key: key, seed: seed)
                #expect(hexadecimal(sealed) == hexadecimal(value))
            }
        }
    }

    @Test func `decode to the records of this software`() throws {
        let document = try FormatDocument()
        func body(_ name: String) throws -> [UInt8] { encode(try document.block("record-" + name).elements("body")) }
        func expectBoth<R: Equatable>(
            _ name: String, _ record: R, _ encode: (R) -> [UInt8], _ decode: (RawSpan) throws -> R
        ) throws {
            let shown = try body(name)
            #expect(hexadecimal(encode(record)) == hexadecimal(shown), "\(name)")
            let decoded = try decode(shown.rawSpan)
            #expect(decoded == record, "\(name)")
        }
        let digest = try digest(of: document)
        try expectBoth("format", Example.format, { $0.encode() }, { try FormatRecord(decoding: $0) })
        try expectBoth("counters", Example.counters(storedSize: try storedSize(of: document)), { $0.encode() }) {
            try CountersRecord(decoding: $0)
        }
        let size = try rowBytes(of: document)
        try expectBoth("resource", Example.resource(byteCount: size), { $0.encode() }) {
            try ResourceRecord(decoding: $0)
        }
        try expectBoth("resource-failed", Example.failed, { $0.encode() }) { try ResourceRecord(decoding: $0) }
        try expectBoth("resource-hidden", Example.hidden, { $0.encode() }) { try ResourceRecord(decoding: $0) }
        try expectBoth("owner-row", OwnerRecord(owner: Example.owner), { $0.encode() }) {
            try OwnerRecord(decoding: $0)
        }
        try expectBoth("generation", Example.generation(byteCount: size, digest: digest), { $0.encode() }) {
            try GenerationRecord(decoding: $0)
        }
        try expectBoth("filter", Example.filter, { $0.encode() }) { try FilterState(decoding: $0) }
        try expectBoth("filter-rejected", Example.rejectedFilter, { $0.encode() }) {
            try FilterState(decoding: $0)
        }
        try expectBoth("filter-runs", Example.filterWithRuns, { $0.encode() }) { try FilterState(decoding: $0) }
        try expectBoth("member", Example.member, { $0.encode() }) { try MemberRecord(decoding: $0) }
        try expectBoth("outbox-head", Example.head, { $0.encode() }) { try OutboxHeadRecord(decoding: $0) }
        try expectBoth("outbox-body", Example.body, { $0.encode() }) { try OutboxBodyRecord(decoding: $0) }
        let rejected = try document.block("outbox-body-rejected")
        let rejectedBody = try rejected.bytes("body bytes")
        #expect(hexadecimal(encode(try rejected.elements("body"))) == hexadecimal(rejectedBody))
        #expect(hexadecimal(Example.rejectedBody.encode()) == hexadecimal(rejectedBody))
        #expect(try OutboxBodyRecord(decoding: rejectedBody.rawSpan) == Example.rejectedBody)
        try expectBoth("outbox-deduplication", Example.deduplication, { $0.encode() }) {
            try OutboxDeduplicationRecord(decoding: $0)
        }
        try expectBoth("outbox-delivery", Example.delivery, { $0.encode() }) { try OutboxDeliveryRecord(decoding: $0) }
        try expectBoth("index", Example.textIndex, { $0.encode() }) { try IndexRecord(decoding: $0) }
        try expectBoth("response", Example.response, { $0.encode() }) { try ResponseRecord(decoding: $0) }
        for name in ["response-tag", "response-tag-second"] {
            try expectBoth(name, Example.responseIndex, { $0.encode() }) { try ResponseIndexRecord(decoding: $0) }
        }
        try expectBoth("blob", Example.blob(digest: try blobDigest(of: document)), { $0.encode() }) {
            try BlobRecord(decoding: $0)
        }
        try expectBoth("garbage", Example.garbage, { $0.encode() }) { try GarbageRecord(decoding: $0) }
        try expectBoth("journal", Example.journal, { $0.encode() }) { try JournalRecord(decoding: $0) }
        try expectBoth("journal-evicted", Example.evicted, { $0.encode() }) { try JournalRecord(decoding: $0) }
        try expectBoth("session", Example.session, { $0.encode() }) { try StoredSession(decoding: $0) }
        try expectBoth("waits", Example.waits, { $0.encode() }) { try ServerWaitsRecord(decoding: $0) }
        try expectBoth("diagnostics", Example.diagnostics, { $0.encode() }) { try DiagnosticsRecord(decoding: $0) }
        try expectBoth("servers", Example.servers, { $0.encode() }) { try ServersRecord(decoding: $0) }
        try expectBoth("buffer", Example.buffer, { $0.encode() }) { try BufferState(decoding: $0) }
        try expectBoth("buffer-point", Example.point, { $0.encode() }) { try BufferedPoint(decoding: $0) }
        try expectBoth("journal-conflict", Example.conflictJournal, { $0.encode() }) { try JournalRecord(decoding: $0) }
        try expectBoth("collection-name", CollectionNumberRecord(number: 1), { $0.encode() }) {
            try CollectionNumberRecord(decoding: $0)
        }
        try expectBoth("collection", Example.collection, { $0.encode() }) { try CollectionRecord(decoding: $0) }
        try expectBoth("collection-chunk", Example.chunk, { $0.encode(mainResource: Example.owner, type: "verse") }) {
            try CollectionChunk(decoding: $0, mainResource: Example.owner, type: "verse")
        }
        try expectBoth("collection-holder-ten", CollectionMembershipRecord(count: 1), { $0.encode() }) {
            try CollectionMembershipRecord(decoding: $0)
        }
        try expectBoth("single-answer", Example.single, { $0.encode() }) { try RowValidatorsRecord(decoding: $0) }
    }

    @Test(arguments: [
        ("record-overlay-shown", "note", "1", Example.overlayPayload, Example.overlay, nil as Int64?),
        ("record-overlay-shown-patched", "verse", "9", Example.patchPayload, Example.patch, nil),
        ("record-overlay", "note", "1", Example.overlayPayload, Example.overlay, 2),
        ("record-overlay-patch", "verse", "9", Example.patchPayload, Example.patch, 1),
    ])
    func `decode to the overlays of this software`(
        name: String, type: String, record: String, content: [UInt8], example: OverlayRecord, sequence: Int64?
    ) throws {
        let shown = try FormatDocument().block(name)
        let (key, value) = (try shown.bytes("key bytes"), try shown.bytes("value bytes"))
        let place = try OverlayKey.decode(key.rawSpan)
        #expect(place.row == RowKey(resource: Example.owner, type: type, key: record))
        #expect(place.sequence == sequence)
        var again = KeyBuffer()
        if let sequence {
            try OverlayKey.append(place.row, sequence: sequence, to: &again)
        } else {
            try OverlayKey.append(place.row, to: &again)
        }
        #expect(again.array() == key)
        let body = try open(value, key: key, seed: TableName.overlay.seed)
        guard sequence == nil else { return #expect(try OverlayRecord(decoding: body.rawSpan) == example) }
        let row = try OverlayRow(body: body.rawSpan)
        let (updatedAt, result, isConfirmed) = (row.updatedAt, row.result, row.isLowestConfirmed)
        #expect(try String(updatedAt) == shown.value("changed at"))
        #expect(updatedAt == example.updatedAt)
        #expect(try String(result.rawValue) == shown.value("result"))
        #expect(isConfirmed == (example.acceptance != nil))
        #expect([UInt8](copying: row.payload) == content)
        #expect(try shown.elements("content") == [.bytes(content)])
        let encoded = OverlayRow.encode(
            result, updatedAt: updatedAt, isLowestConfirmed: isConfirmed, payload: content.rawSpan)
        #expect(encoded == body)
    }

    @Test func `refuse a visible row with a result, a mark or a payload that no writer makes`() throws {
        func row(_ bytes: [UInt8]) throws -> OverlayRow.Result {
            try OverlayRow(body: bytes.rawSpan).result
        }
        let time = [UInt8](repeating: 0, count: 8)
        #expect(try row(time + [0, 1]) == .none)
        #expect(try row(time + [2, 0]) == .unknown)
        #expect(throws: FormatError.invalidValue(field: "result", value: 3)) { try row(time + [3, 0]) }
        #expect(throws: FormatError.invalidValue(field: "confirmed", value: 2)) { try row(time + [1, 2]) }
        #expect(throws: FormatError.trailingBytes(offset: 10)) { try row(time + [0, 0, 1]) }
        #expect(throws: FormatError.truncated(offset: 9)) { try row(time + [1]) }
    }

    @Test func `agree with each other: digest, bytes and stored size`() throws {
        let document = try FormatDocument()
        let generation = try document.block("record-generation").elements("body")
        #expect(generation[3] == .integer(try rowBytes(of: document)))
        #expect(generation[4] == .integer(Int64(bitPattern: try digest(of: document))))
        let blob = try document.block("record-blob").elements("body")
        #expect(blob[2] == .integer(Int64(bitPattern: try blobDigest(of: document))))
        let counters = try document.block("record-counters").elements("body")
        #expect(counters[9] == .integer(try storedSize(of: document)))
    }

    private func rows(of document: FormatDocument) -> [FormatDocument.Block] {
        document.records.filter { $0.name.hasPrefix("record-row-") }
    }

    private func size(_ record: FormatDocument.Block) throws -> Int64 {
        Int64(try record.bytes("key bytes").count + record.bytes("value bytes").count)
    }

    private func rowBytes(of document: FormatDocument) throws -> Int64 {
        try rows(of: document).reduce(0) { sum, record in sum + (try size(record)) }
    }

    private func storedSize(of document: FormatDocument) throws -> Int64 {
        try document.records.filter { try $0.value("table") != "meta" }.reduce(0) { sum, record in
            sum + (try size(record))
        }
    }

    private func blobDigest(of document: FormatDocument) throws -> UInt64 {
        try document.records.filter { $0.name.hasPrefix("record-blob-chunk") }.reduce(0) { sum, record in
            sum &+ (try header(try record.bytes("value bytes")).checksum)
        }
    }

    private func digest(of document: FormatDocument) throws -> UInt64 {
        try rows(of: document).reduce(0) { sum, record in
            sum &+ (try header(try record.bytes("value bytes")).checksum)
        }
    }
}
