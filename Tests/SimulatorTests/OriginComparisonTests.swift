// Proves that the model server and the reference origin answer a client the same.

import LarderServer
import LarderSimulator
import LarderSync
import LarderTesting
import Testing

/// The model and the origin were written apart; where they agree, both are likely right.
@Suite struct `A model server and the origin` {
    @Test(arguments: 1...25 as ClosedRange<UInt64>)
    func `answer a client the same`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var model = ModelServer(shape: ModelServer.Shape(logLimit: 1_000_000))
        let origin = Origin(secret: TokenSecret(1, 2)) { 0 }
        let filters = ["notes:*;recitations:1,2;translations:*", "translations:2,1,2", "recitations:*"]
        // What a page of an unknown group is, the protocol leaves open.
        let first = ModelMutation.create(ModelServer.ResourceID("notes", 1), [])
        let empty = model
        model.apply(first)
        try origin.apply(first, before: empty, after: model)
        var tokens: [String: [(model: String, origin: String)]] = [:]
        for step in 1...60 {
            let mutation = model.nextMutation(using: &generator)
            if case .restore = mutation { continue }
            let before = model
            if model.apply(mutation) { try origin.apply(mutation, before: before, after: model) }
            try #require(model.sequence == origin.sequence, "seed \(seed), step \(step): \(mutation)")
            let filter = filters[generator.below(filters.count)]
            let size = 1 + generator.below(4)
            var (mine, its) = ("bootstrap=true", "bootstrap=true")
            if let pair = generator.pick(tokens[filter] ?? []) {
                (mine, its) = ("sync_token=\(pair.model)", "sync_token=\(pair.origin)")
            }
            let start = "resources=\(filter)&per_page=\(size)&"
            let one = try run(start + mine) { target in model.answer(target) }
            let other = try run(start + its) { target in origin.answer(target) }
            #expect(one.changes == other.changes, "seed \(seed), step \(step), \(filter)")
            #expect(one.bound == other.bound)
            if let a = one.token, let b = other.token { tokens[filter, default: []].append((a, b)) }
        }
        for (resource, rows) in model.expectedRows(for: filters[0]) {
            let its = origin.rows(of: Origin.ResourceID(resource.group, resource.id)) ?? []
            #expect(Set(rows.values) == Set(its.map { String(decoding: $0.body, as: UTF8.self) }), "seed \(seed)")
        }
    }

    private struct Run {
        var changes: [Mutation] = []
        var bound: Int64?
        var token: String?
    }

    /// All pages of a run; nothing but an empty token when it is refused.
    private func run(_ query: String, answer: (String) -> (ModelAnswer)) throws -> Run {
        var run = Run()
        var next: String? = "/api/v4/resources/sync?" + query
        var pages = 0
        while let target = next {
            let answer = answer(target)
            guard answer.status == 200 else {
                #expect(answer.status == 410)
                return Run()
            }
            let page = try SyncPage(decoding: answer.body)
            run.changes += page.mutations
            (run.bound, run.token, next) = (page.syncUntilSequence, page.nextSyncToken, page.nextPageURL)
            pages += 1
            try #require(pages < 500)
        }
        // Each has its own clock, and a bootstrap no order.
        for index in run.changes.indices {
            run.changes[index].changedAt = 0
            run.changes[index].unavailableReason = nil
        }
        if query.contains("bootstrap") { run.changes.sort { $0.sequence < $1.sequence } }
        return run
    }
}

extension Origin {
    fileprivate func answer(_ target: String) -> ModelAnswer {
        do throws(OriginProblem) {
            let query = try OriginQuery(parsing: String(target.drop { $0 != "?" }.dropFirst()))
            return ModelAnswer(status: 200, body: try page(query).body)
        } catch {
            return ModelAnswer(status: error.status, body: error.body)
        }
    }

    /// Does what the model did, with the rows that the model gave.
    fileprivate func apply(_ mutation: ModelMutation, before: ModelServer, after: ModelServer) throws {
        func name(_ id: ModelServer.ResourceID) -> ResourceID { ResourceID(id.group, id.id) }
        func row(_ id: ModelServer.RowID, _ payload: String) -> Row { Row(type: id.type, key: id.key, payload) }
        func all(_ id: ModelServer.ResourceID) -> [Row] { after.rows(of: id).map { row($0.id, $0.payload) } }
        switch mutation {
        case .create(let id, _):
            if rows(of: name(id)) == nil {
                try createResource(name(id), rows: all(id))
            } else {
                try replaceRows(of: name(id), with: all(id))
                try publishResource(name(id))
            }
        case .publish(let id): try publishResource(name(id))
        case .hide(let id): try hideResource(name(id))
        case .delete(let id): if before.isPublic(id) { try hideResource(name(id)) }
        case .put(let id, let key):
            for found in after.rows(of: id) where found.id == key {
                try putRow(row(key, found.payload), in: name(id))
            }
        case .deleteRow(let id, let key): try deleteRow(RowKey(key.type, key.key), in: name(id))
        case .replace(let id, _), .changeSchema(let id): try replaceRows(of: name(id), with: all(id))
        case .touch(let id): try touchResource(name(id))
        case .forgetLog(let first): removeChanges(before: first)
        case .restore: break
        }
    }
}
