internal import LarderFormat

extension OutboxDraft {
    init(record: OutboxRecord, lane: String) {
        self.init(
            id: record.entryID, lane: lane, createdAt: record.createdAt, mutationType: record.mutationType,
            method: record.method, endpoint: record.endpoint, payload: record.payload)
        account = record.account
        entity = record.entity
        fields = record.fields.map { Field(name: $0.name, value: $0.value) }
        blob = record.blob.map { Blob(number: $0.number, byteCount: $0.byteCount) }
        after = record.after
        deduplicationKey = record.deduplicationKey
        fingerprint = UInt64(bitPattern: record.fingerprint)
        mostAttempts = Int(clamping: record.mostAttempts)
        predecessor = record.predecessor
        loadsAnswer = record.loadsAnswer
    }

    func record(rows: [RowKey]) -> OutboxRecord {
        var record = OutboxRecord(
            entryID: id, createdAt: createdAt, mutationType: mutationType, method: method, endpoint: endpoint,
            payload: payload)
        record.account = account
        record.entity = entity
        record.fields = fields.map { OutboxRecord.Field(name: $0.name, value: $0.value) }
        record.blob = blob.map { OutboxRecord.BlobBody(number: $0.number, byteCount: $0.byteCount) }
        record.after = after
        record.rows = rows
        record.deduplicationKey = deduplicationKey
        record.fingerprint = Int64(bitPattern: fingerprint)
        record.mostAttempts = Int64(mostAttempts)
        record.predecessor = predecessor
        record.loadsAnswer = loadsAnswer
        return record
    }
}

extension OutboxDelivery {
    init(record: OutboxDeliveryRecord) {
        state = State(record.state)
        tries = Int(clamping: record.tries)
        attempts = Int(clamping: record.attempts)
        failures = Int(clamping: record.failures)
        firstTriedAt = record.firstTriedAt
        lastTriedAt = record.lastTriedAt
        isInDoubt = record.isInDoubt
        dueAt = record.dueAt
        batch = record.batch
        isAlone = record.isAlone
        lastStatus = record.lastStatus.map { Int(clamping: $0) }
        lastError = record.lastError
    }

    /// Puts all of it into `record`.
    func write(to record: inout OutboxDeliveryRecord) {
        record.state = state.stored
        record.tries = Int64(tries)
        record.attempts = Int64(attempts)
        record.failures = Int64(failures)
        record.firstTriedAt = firstTriedAt
        record.lastTriedAt = lastTriedAt
        record.isInDoubt = isInDoubt
        record.dueAt = dueAt
        record.batch = batch
        record.isAlone = isAlone
        record.lastStatus = lastStatus.map { Int64($0) }
        record.lastError = lastError
    }
}

extension OutboxDelivery.State {
    init(_ stored: OutboxDeliveryRecord.State) {
        self =
            switch stored {
            case .pending: .pending
            case .sending: .sending
            case .waiting: .waiting
            case .failed: .failed
            case .unresolved: .unresolved
            case .rejected: .rejected
            case .conflicted: .conflicted
            }
    }

    var stored: OutboxDeliveryRecord.State {
        switch self {
        case .pending: .pending
        case .sending: .sending
        case .waiting: .waiting
        case .failed: .failed
        case .unresolved: .unresolved
        case .rejected: .rejected
        case .conflicted: .conflicted
        }
    }
}

extension PendingOutbox {
    init(counters: CountersRecord) {
        self.init(entries: Int(clamping: counters.pendingEntries), byteCount: counters.pendingBytes)
    }
}

extension OutboxDraft {
    /// Throws what keeps body and header fields from being stored.
    func checkContent() throws(FormatError) {
        try Limits.check(payload: payload.count)
        if fields.contains(where: { ResponseRecord.isSecret($0.name) }) { throw .credentialField }
    }
}
