internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging

/// A full copy to fetch, and when it may be swapped in.
struct FullCopyOrder: Sendable {
    let resource: ResourceKey
    let path: ServerPath
    let rule: FullCopyRule
    /// The floor when the copy was ordered.
    let knownFloor: Int64
    let run: FilterRun
    let changedAt: Int64?
}

/// What became of an order.
enum FullCopyResult: Sendable {
    case swapped(rows: Int, bytes: Int)
    case hidden
    /// Nothing was changed: another filter knows better, or the rows cannot be named.
    case left
}

extension SyncRun {
    /// Bytes of rows gathered before they are handed to the writer.
    private static let batchBytes = 512 << 10

    /// Fetches a full copy until one is new enough, and swaps it in.
    func replace(_ order: FullCopyOrder) async throws -> FullCopyResult {
        for attempt in 1...configuration.fullCopyAttempts {
            switch try await client.get(order.path, .fullCopy) {
            case .resyncRequired: throw SyncError.inconsistentRun(reason: "a full copy was answered as a page")
            case .fullCopyNotFound: return try await hide(order)
            case .body(let body, let length):
                do {
                    if let result = try await take(body, length, order) { return result }
                } catch SyncError.wire(.unknownGroup, _) {
                    return leave(order)
                }
            }
            if attempt < configuration.fullCopyAttempts { report(.lagging(order.resource)) }
        }
        throw SyncError.laggingFullCopy(order.resource)
    }

    /// Passes a copy over whose rows nobody here can name; the other resources of the filter go on.
    private func leave(_ order: FullCopyOrder) -> FullCopyResult {
        store.host.logger.warning(
            "passed over a full copy of an unknown group", metadata: ["resource": "\(order.resource)"])
        report(.unknownGroup(order.resource))
        return .left
    }

    private func hide(_ order: FullCopyOrder) async throws -> FullCopyResult {
        guard try await store.write({ transaction in try transaction.hideMissing(order) }) else { return .left }
        report(.hidden(order.resource))
        return .hidden
    }

    /// Streams a body into a generation of its own and swaps it in; nil when it is too old.
    private func take(
        _ body: TransportBody, _ length: Int?, _ order: FullCopyOrder
    ) async throws -> FullCopyResult? {
        let chunks = body.makeAsyncIterator()
        // The writer's slot is asked for only when the server has begun to answer.
        var chunk = try await chunks.next()
        let staging = try await store.beginStaging(order.resource)
        do {
            var copy = FullCopyIntake(order, staging, configuration.keyMapping, now: store.host.now())
            while let bytes = chunk {
                try copy.take(bytes)
                if copy.batch.byteCount >= Self.batchBytes {
                    try await store.stage(copy.batch, in: staging)
                    copy.batch.removeAll()
                    report(.fullCopy(order.resource, rows: copy.rows, bytes: copy.bytes, totalBytes: length))
                }
                chunk = try await chunks.next()
            }
            let header = try copy.finish()
            try await store.stage(copy.batch, in: staging)
            let start = store.host.elapsed()
            guard try await swap(staging, header, order) else {
                await store.discard(staging)
                return nil
            }
            let took = store.host.elapsed() - start
            report(.swapped(order.resource, rows: copy.rows, bytes: copy.bytes, took: took))
            return .swapped(rows: copy.rows, bytes: copy.bytes)
        } catch StoreError.stagingSuperseded {
            // Another filter has hidden the resource meanwhile: the server is asked again, and says where things are.
            await store.discard(staging)
            return nil
        } catch {
            await store.discard(staging)
            throw error
        }
    }

    /// Swaps a whole copy in, unless it is older than it may be. The floor is looked at in the commit that swaps.
    private func swap(
        _ staging: Staging, _ header: FullCopyHeader, _ order: FullCopyOrder
    ) async throws -> Bool {
        let now = store.host.now()
        do {
            try await store.swap(staging) { transaction, record in
                try transaction.check(order.run)
                guard order.rule.accepts(header.sequence, floor: record.floor) else { throw LaggingCopy() }
                record.floor = header.sequence
                record.snapshotPath = order.path.text
                record.schemaVersion = header.schemaVersion
                record.syncedAt = now
                record.changedAt = order.changedAt ?? record.changedAt
                let run = order.run
                try transaction.putMember(
                    ofFilter: run.number, order.resource, MemberRecord(listedInRun: run.run, finishedInRun: run.run))
            }
            return true
        } catch is LaggingCopy {
            return false
        }
    }
}

/// A full copy is older than what it would replace.
private struct LaggingCopy: Error {}

/// Turns the bytes of a full copy into rows, as they come.
private struct FullCopyIntake {
    private let order: FullCopyOrder
    private let mapping: RowKeyMapping
    private let now: Int64
    private var parser: FullCopyParser
    var batch: RowBatch
    private(set) var rows = 0
    private(set) var bytes = 0

    init(_ order: FullCopyOrder, _ staging: Staging, _ mapping: RowKeyMapping, now: Int64) {
        self.order = order
        self.mapping = mapping
        self.now = now
        parser = FullCopyParser(capturing: mapping.names)
        batch = RowBatch(for: staging)
    }

    mutating func take(_ chunk: [UInt8]) throws {
        bytes += chunk.count
        do {
            var position = 0
            while try parser.next(in: chunk, at: &position) {
                let key = try mapping.key(order.resource.group, parser.record.fields)
                let payload = parser.record.bytes
                try batch.append(payload.rawSpan, type: key.type, key: key.key, updatedAt: now)
                rows += 1
            }
        } catch let error as WireError {
            throw SyncError.wire(error, request: .fullCopy)
        }
    }

    mutating func finish() throws(SyncError) -> FullCopyHeader {
        let header: FullCopyHeader
        do throws(WireError) {
            header = try parser.finish()
        } catch {
            throw .wire(error, request: .fullCopy)
        }
        guard ResourceKey(header.group, header.id) == order.resource else { throw .wrongFullCopy(order.resource) }
        return header
    }
}
