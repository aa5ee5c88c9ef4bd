import LarderEngine
import LarderFormat
import LarderStore

/// One sequence of operations on a new store and on its model.
final class OperationRun {
    private static let resources = [ResourceKey("a", 1), ResourceKey("a", 2), ResourceKey("b", 1)]
    private static let directory = StoreDirectory()

    private let path: String
    private var store: Store
    private var model = Model()
    private var nextWrite: UInt64 = 1

    init() throws {
        path = Self.directory.clear("operated")
        store = try Self.open(path)
    }

    /// Opens the store without a writer thread: everything runs on the thread of the caller.
    private static func open(_ path: String) throws -> Store {
        var options = StoreOptions(mapSize: 1 << 24)
        options.isStepped = true
        return try Store.open(at: path, options: options, host: .fuzz)
    }

    /// Draws an operation and performs it.
    func perform(_ input: inout FuzzedBytes) throws {
        switch input.number(below: 9) {
        case 0: try put(&input)
        case 1: try remove(&input)
        case 2: try replace(&input)
        case 3: try enqueue(&input)
        case 4: try complete(&input)
        case 5: try evict(&input)
        case 6: try drop(&input)
        case 7: try reopen()
        default: try compact()
        }
    }

    /// Compares all that readers see with the model.
    func compare() throws {
        let shown = try store.read { view in
            var shown: [[String: [UInt8]]] = []
            for resource in Self.resources {
                var rows: [String: [UInt8]] = [:]
                try view.forEachRow(in: .all(of: resource)) { entry in
                    rows[try entry.key().key] = [UInt8](copying: entry.row.payload)
                }
                shown.append(rows)
            }
            return shown
        }
        for (resource, rows) in zip(Self.resources, shown) {
            let expected = model.shown(resource)
            require(rows == expected, "\(resource) has \(rows) in place of \(expected)")
        }
        let writes = try store.read { view in try view.outboxEntries().map(\.id) }
        require(writes == model.writes.map(\.id), "the outbox has \(writes) in place of \(model.writes)")
        let pending = try store.read { view in try view.pendingOutbox().entries }
        require(pending == model.writes.count, "the store counts \(pending) writes of \(model.writes.count)")
    }

    /// Checks and closes the store.
    func end() throws {
        let findings = try store.findings()
        require(findings.isEmpty, "the store is not sound: \(findings)")
        try store.close()
    }
}

extension OperationRun {
    private func key(_ input: inout FuzzedBytes) -> RowKey {
        let resource = Self.resources[input.number(below: Self.resources.count)]
        let number = input.byte()
        return RowKey(resource: resource, type: "t", key: number < 8 ? "k\(number)" : "\(number % 32)")
    }

    /// Draws a payload; a few are larger than a page.
    private func payload(_ input: inout FuzzedBytes) -> [UInt8] {
        let byte = input.byte()
        return Array("{\"n\":\"\(String(repeating: "\(byte % 10)", count: byte > 240 ? 6000 : Int(byte)))\"}".utf8)
    }

    private func put(_ input: inout FuzzedBytes) throws {
        let (key, payload) = (key(&input), payload(&input))
        try store.writeBlocking { try $0.put(payload, at: key, updatedAt: 1) }
        model.rows[key.resource, default: [:]][key.key] = payload
    }

    private func remove(_ input: inout FuzzedBytes) throws {
        let key = key(&input)
        let wasThere = try store.writeBlocking { try $0.removeRow(at: key) }
        let expected = model.rows[key.resource]?.removeValue(forKey: key.key) != nil
        require(wasThere == expected, "\(key) was there: \(wasThere)")
    }

    private func replace(_ input: inout FuzzedBytes) throws {
        let resource = Self.resources[input.number(below: Self.resources.count)]
        let staging = try store.beginStagingBlocking(resource)
        var rows: [String: [UInt8]] = [:]
        for _ in 0..<input.number(below: 12) { rows["\(input.byte() % 32)"] = payload(&input) }
        var batch = RowBatch(for: staging)
        for (key, payload) in rows { try batch.append(payload.rawSpan, type: "t", key: key, updatedAt: 1) }
        try store.stageBlocking(batch, in: staging)
        if input.byte() % 4 == 3 { return try store.discardBlocking(staging) }
        try store.swapBlocking(staging) { _, record in record.appliedSequence += 1 }
        model.rows[resource] = rows
    }

    private func enqueue(_ input: inout FuzzedBytes) throws {
        let draft = draft()
        var write = Model.Write(id: draft.id)
        if input.byte() % 2 == 0 {
            let key = key(&input)
            write.effect = (key, input.byte() % 4 == 0 ? nil : payload(&input))
        }
        let effects = write.effect.map { effect in
            [RowEffect(effect.payload.map { .replacement($0) } ?? .removal, at: effect.key)]
        }
        try store.writeBlocking { try $0.enqueue(draft, effects: effects ?? []) }
        model.writes.append(write)
    }

    private func draft() -> OutboxDraft {
        defer { nextWrite += 1 }
        return OutboxDraft(
            id: UUIDBytes(high: 0x4000, low: nextWrite), lane: "lane", createdAt: 1, mutationType: "m", method: "POST",
            endpoint: "/a", payload: Array("{\"n\":\(nextWrite)}".utf8))
    }

    /// Completes a write without an effect: the server decides when the effect of another ends.
    private func complete(_ input: inout FuzzedBytes) throws {
        let candidates = model.writes.filter { $0.effect == nil }
        if candidates.isEmpty { return }
        let write = candidates[input.number(below: candidates.count)]
        try store.writeBlocking { try $0.completeEntry(write.id, at: 2) }
        model.writes.removeAll { $0.id == write.id }
    }

    /// Removes a write, and so its effect.
    private func drop(_ input: inout FuzzedBytes) throws {
        if model.writes.isEmpty { return }
        let write = model.writes.remove(at: input.number(below: model.writes.count))
        try store.writeBlocking { try $0.removeEntry(write.id, outcome: "dropped", at: 2) }
    }

    private func evict(_ input: inout FuzzedBytes) throws {
        let resource = Self.resources[input.number(below: Self.resources.count)]
        let isEvicted = try store.writeBlocking { try $0.evict(resource) }
        let isEvictable = model.rows[resource] != nil && !model.hasEffects(on: resource)
        require(isEvicted == isEvictable, "\(resource) was evicted: \(isEvicted)")
        if isEvicted, !isSelfTest { model.rows[resource] = nil }
    }

    private func reopen() throws {
        try store.close()
        store = try Self.open(path)
    }

    private func compact() throws {
        try store.close()
        _ = try Store.compact(at: path, host: .fuzz)
        store = try Self.open(path)
    }
}
