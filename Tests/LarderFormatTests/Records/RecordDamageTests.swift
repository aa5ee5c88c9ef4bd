// Proves that every kind of record survives encoding, and that any damage is an error or a canonical record.

import LarderFormat
import Testing

/// Every kind of record, as bytes and as a function that reads and writes them again.
private struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: [UInt8]
    /// The numbers of bytes before elements that may be absent.
    var requiredBytes: Set<Int> = []
    let again: @Sendable ([UInt8]) throws -> [UInt8]

    private static func endsOfRuns(_ body: [UInt8]) -> Set<Int> {
        Set((85..<body.count).filter { $0 <= 86 || body[$0 - 1] == 0 })
    }

    static let all: [Kind] = [
        Kind(testDescription: "format", body: Example.format.encode()) {
            try FormatRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "counters", body: Example.counters(storedSize: 900).encode()) {
            try CountersRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "resource", body: Example.resource(byteCount: 100).encode()) {
            try ResourceRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "owner", body: OwnerRecord(owner: Example.owner).encode()) {
            try OwnerRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "generation", body: Example.generation(byteCount: 9, digest: .max).encode()) {
            try GenerationRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "filter", body: Example.filter.encode()) {
            try FilterState(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "filter after a rejection", body: Example.rejectedFilter.encode()) {
            try FilterState(decoding: $0.rawSpan).encode()
        },
        // A record ends before the time of a held bootstrap, or before its runs; a list of runs that ends early is absent.
        Kind(
            testDescription: "filter with runs", body: Example.filterWithRuns.encode(),
            requiredBytes: endsOfRuns(Example.filterWithRuns.encode())
        ) {
            try FilterState(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "member", body: Example.member.encode()) {
            try MemberRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "head", body: Example.head.encode()) {
            try OutboxHeadRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "body", body: Example.body.encode()) {
            try OutboxBodyRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "deduplication", body: Example.deduplication.encode()) {
            try OutboxDeduplicationRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "upload", body: Example.upload.encode()) {
            try OutboxHeadRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "batched delivery", body: Example.batched.encode()) {
            try OutboxDeliveryRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "delivery", body: Example.delivery.encode()) {
            try OutboxDeliveryRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "overlay", body: Example.overlay.encode()) {
            try OverlayRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "patch", body: Example.patch.encode()) {
            try OverlayRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "secondary index", body: Example.textIndex.encode()) {
            try IndexRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "response", body: Example.response.encode()) {
            try ResponseRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "partial response", body: Example.partialResponse.encode()) {
            try ResponseRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "response index", body: Example.responseIndex.encode()) {
            try ResponseIndexRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "blob", body: Example.blob(digest: .max).encode()) {
            try BlobRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "garbage", body: Example.garbage.encode()) {
            try GarbageRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "journal", body: Example.journal.encode()) {
            try JournalRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "eviction", body: Example.evicted.encode()) {
            try JournalRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "eviction of collections", body: Example.evictedCollections.encode()) {
            try JournalRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "session", body: Example.session.encode()) {
            try StoredSession(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "waits", body: Example.waits.encode()) {
            try ServerWaitsRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "diagnostics", body: Example.diagnostics.encode()) {
            try DiagnosticsRecord(decoding: $0.rawSpan).encode()
        },
        // The account may be absent: these are the bytes before it.
        Kind(testDescription: "servers", body: Example.servers.encode(), requiredBytes: [59]) {
            try ServersRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "buffer", body: Example.buffer.encode()) {
            try BufferState(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "buffer's point", body: Example.point.encode()) {
            try BufferedPoint(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "conflict", body: Example.conflictJournal.encode()) {
            try JournalRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "collection", body: Example.collection.encode()) {
            try CollectionRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "collection's number", body: CollectionNumberRecord(number: 7).encode()) {
            try CollectionNumberRecord(decoding: $0.rawSpan).encode()
        },
        Kind(
            testDescription: "collection's chunk",
            body: Example.chunk.encode(mainResource: Example.owner, type: "verse")
        ) {
            try CollectionChunk(decoding: $0.rawSpan, mainResource: Example.owner, type: "verse")
                .encode(mainResource: Example.owner, type: "verse")
        },
        Kind(testDescription: "holder", body: CollectionMembershipRecord(count: 2).encode()) {
            try CollectionMembershipRecord(decoding: $0.rawSpan).encode()
        },
        Kind(testDescription: "single answer", body: Example.single.encode()) {
            try RowValidatorsRecord(decoding: $0.rawSpan).encode()
        },
    ]
}

@Suite struct `A record of any kind` {
    @Test(arguments: Kind.all)
    fileprivate func `is encoded again to the same bytes`(kind: Kind) throws {
        #expect(try kind.again(kind.body) == kind.body)
    }

    @Test(arguments: Kind.all)
    fileprivate func `with a byte flipped is an error or a canonical record, never a trap`(kind: Kind) {
        for damaged in flips(of: kind.body) {
            guard let again = try? kind.again(damaged) else { continue }
            // A flip may end the record early and leave elements of a later version behind it.
            #expect(damaged.starts(with: again), "\(hexadecimal(damaged))")
        }
    }

    @Test(arguments: Kind.all)
    fileprivate func `cut short is an error`(kind: Kind) {
        for damaged in truncations(of: kind.body) where !kind.requiredBytes.contains(damaged.count) {
            #expect(throws: FormatError.self, "\(hexadecimal(damaged))") { try kind.again(damaged) }
        }
    }

    @Test(arguments: Kind.all)
    fileprivate func `ignores elements of later versions`(kind: Kind) throws {
        #expect(try kind.again(kind.body + [0x02, 0x61, 0x00, 0x15, 0x07]) == kind.body)
    }

    @Test(arguments: Kind.all)
    fileprivate func `sealed, with a byte flipped or missing is an error`(kind: Kind) {
        let key: [UInt8] = [0x15, 0x01]
        let seed = TableName.meta.seed
        let value = seal(body: kind.body, key: key, seed: seed)
        for damaged in flips(of: value) + truncations(of: value) {
            #expect(throws: FormatError.self) { try open(damaged, key: key, seed: seed) }
        }
    }
}
