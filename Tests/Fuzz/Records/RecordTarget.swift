// Proves for any bytes: each record is read without a trap, and stays the same when it is written and read again.

import LarderFormat

enum FuzzTarget {
    static var seeds: [[UInt8]] { SampleRecords.all + [SampleRecords.sealed, SampleRecords.chunk] }

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        let kind = input.number(below: RecordKind.all.count + 2)
        let body = input.rest
        switch kind {
        case RecordKind.all.count: SealedRecord.check(&input)
        case RecordKind.all.count + 1: ChunkOfRows.check(Array(body))
        default: RecordKind.all[kind].check(Array(body))
        }
    }
}

/// A type of records, with the check of one body.
struct RecordKind: Sendable {
    let check: @Sendable ([UInt8]) -> Void

    private init<Record: TupleRecord & Hashable & Sendable>(_: Record.Type) {
        check = { body in
            guard let record = try? Record(decoding: body.rawSpan) else { return }
            let written = record.encode()
            guard let again = try? Record(decoding: written.rawSpan) else {
                fatalError("\(Record.self): \(body) is read, but not what is written of it: \(written)")
            }
            require(again == record, "\(Record.self): \(record) is read again as \(again)")
            require(again.encode() == written, "\(Record.self): \(record) is written in two ways")
        }
    }

    /// All types of records.
    static let all: [RecordKind] = [
        RecordKind(BlobRecord.self), RecordKind(BufferState.self), RecordKind(BufferedPoint.self),
        RecordKind(CollectionRecord.self), RecordKind(CollectionNumberRecord.self),
        RecordKind(CollectionMembershipRecord.self), RecordKind(CountersRecord.self),
        RecordKind(DiagnosticsRecord.self),
        RecordKind(FilterState.self),
        RecordKind(FormatRecord.self), RecordKind(GarbageRecord.self), RecordKind(GenerationRecord.self),
        RecordKind(IndexRecord.self), RecordKind(JournalRecord.self), RecordKind(MemberRecord.self),
        RecordKind(OutboxDeliveryRecord.self), RecordKind(OutboxHeadRecord.self), RecordKind(OutboxBodyRecord.self),
        RecordKind(OutboxDeduplicationRecord.self), RecordKind(OverlayRecord.self), RecordKind(OwnerRecord.self),
        RecordKind(ResourceRecord.self), RecordKind(ResponseIndexRecord.self), RecordKind(ResponseRecord.self),
        RecordKind(RowValidatorsRecord.self), RecordKind(SaltRecord.self), RecordKind(ServerWaitsRecord.self),
        RecordKind(ServersRecord.self), RecordKind(SnapshotFailure.self), RecordKind(StoredSession.self),
    ]
}
