// WriterRun: one run of a filter in small steps, so that anything may happen in between.

import LarderEngine
import LarderFormat
import LarderStore
import LarderSync
import LarderTesting

/// One run of a filter, a small step at a time, so that anything may happen in between.
struct WriterRun {
    enum Outcome {
        case unfinished, finished
    }

    private let begun: FilterRun
    private let text: String
    private let token: Int64?
    /// How far behind its copies may be.
    private let lag: Int64
    private var changes: [Mutation] = []
    private var bound: Int64?
    private var orders: [SnapshotRequest] = []
    private var staged: (staging: Staging, header: SnapshotHeader, order: SnapshotRequest)?

    init(_ text: String, lag: Int64, _ store: Store) throws {
        self.text = text
        self.lag = lag
        begun = try store.writeBlocking(durability: .relaxed) { try $0.beginRun(text, now: 1) }
        let state = try store.read { view in try view.filters().first { $0.filter == text } }
        token = state?.token.flatMap { Int64($0) }
    }

    /// Begins a bootstrap in place of a run whose token the server rejects.
    private init(replacing old: WriterRun, _ store: Store) throws {
        (text, lag, token) = (old.text, old.lag, nil)
        begun = try store.writeBlocking(durability: .relaxed) {
            try $0.replaceRejected(old.begun, after: .token, now: 1)
        }
    }

    /// Goes on as if the server had rejected the token; nothing once a page is there.
    mutating func reject(_ store: Store) throws {
        guard bound == nil, token != nil else { return }
        self = try WriterRun(replacing: self, store)
    }

    /// Gives up what is under way.
    func abandon(_ store: Store) throws {
        if let staged { try store.discardBlocking(staged.staging) }
    }

    mutating func step(_ server: WriterServer, _ store: Store, _ random: inout SeededGenerator) throws -> Outcome {
        guard let bound else {
            bound = server.sequence
            changes = server.changes(after: token)
            return .unfinished
        }
        if let staged {
            try swap(staged, store)
        } else if let order = orders.first {
            try stage(order, server, store, &random)
        } else if let change = changes.first {
            try handle(change, bound, store, &random)
        } else {
            _ = try store.writeBlocking(durability: .relaxed) {
                try $0.finishRun(begun, token: "\(bound)", untilSequence: bound, rowsWritten: 0, now: 1)
            }
            return .finished
        }
        return .unfinished
    }

    private mutating func handle(
        _ change: Mutation, _ bound: Int64, _ store: Store, _ random: inout SeededGenerator
    ) throws {
        if change.type.needsSnapshot {
            let requests = SnapshotRequirements([change])
            try store.writeBlocking(durability: .relaxed) { try $0.listMembers(requests, begun, bound: bound) }
            orders = try store.read { view in try requests.requests(begun, bound: bound, in: view, now: 1).requests }
            changes.removeFirst()
            return
        }
        let most = Int.random(in: 1...3, using: &random)
        let page = Array(changes.prefix { !$0.type.needsSnapshot }.prefix(most))
        _ = try store.writeBlocking(durability: .relaxed) { try $0.apply(page, begun) }
        changes.removeFirst(page.count)
    }

    private mutating func stage(
        _ order: SnapshotRequest, _ server: WriterServer, _ store: Store, _ random: inout SeededGenerator
    ) throws {
        let staging = try store.beginStagingBlocking(order.resource)
        let sequence = max(2, server.sequence - Int64.random(in: 0...lag, using: &random))
        let copy = server.snapshot(of: order.resource, at: sequence)
        var batch = RowBatch(for: staging)
        for (key, members) in copy.rows {
            let payload = WriterServer.payload(members)
            try batch.append(payload.rawSpan, type: key.type, key: key.key, updatedAt: 1)
        }
        try store.stageBlocking(batch, in: staging)
        staged = (staging, copy.header, order)
    }

    private mutating func swap(
        _ copy: (staging: Staging, header: SnapshotHeader, order: SnapshotRequest), _ store: Store
    ) throws {
        do {
            try store.swapBlocking(copy.staging, durability: .relaxed) { transaction, record in
                try transaction.applySnapshotHeader(copy.header, copy.order, &record, now: 1)
            }
            orders.removeFirst()
        } catch is LaggingSnapshot {
            // Fetched again with the next step.
            try store.discardBlocking(copy.staging)
        } catch StoreError.stagingSuperseded {
            try store.discardBlocking(copy.staging)
        }
        staged = nil
    }
}
