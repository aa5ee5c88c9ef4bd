// Proves that histories of the model server are decodable, deterministic and lead a simple client to the same content.

import LarderServer
import LarderSimulator
import LarderSync
import LarderTesting
import Testing

@Suite struct `Histories of a model server` {
    typealias ResourceID = ModelServer.ResourceID

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `are decoded by the client, row for row`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var server = ModelServer()
        for step in 1...120 {
            server.mutate(using: &generator)
            for resource in server.publicResources(in: try #require(ModelFilter(Self.everything))) {
                let lag = Int64(generator.below(3))
                let answer = server.answer("/api/v4/resources/snapshots/\(resource)", lag: lag)
                // Not public yet where the replica is.
                if lag > 0, answer.status == 404 { continue }
                let (header, rows) = try Self.decodedSnapshot(answer)
                #expect(header.group == resource.group && header.id == resource.id)
                #expect(
                    server.wasState(rows, of: resource, at: header.sequence), "seed \(seed), step \(step), \(resource)")
                #expect(lag > 0 || rows == server.expectedRows(for: Self.everything)[resource])
                #expect(rows.allSatisfy { server.wasEver($0.value, at: $0.key, of: resource) })
            }
        }
    }

    /// A client of ten lines, which asks in step with the server and is never interrupted.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `synchronize a simple client, whatever the page size`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var server = ModelServer()
        var client = SimpleClient(filter: "notes:1,3;recitations:*;translations:2")
        for round in 1...30 {
            for _ in 0..<generator.below(12) { server.mutate(using: &generator) }
            try client.sync(with: server, perPage: 1 + generator.below(5))
            #expect(client.rows == server.expectedRows(for: client.filter), "seed \(seed), round \(round)")
            let token = try #require(client.token)
            #expect(ModelTicket.isToken(token, atOrBefore: server.sequence) == true)
            for (resource, applied) in client.appliedSequences where client.rows[resource] != nil {
                #expect(applied >= server.lastChange(of: resource, through: server.sequence), "seed \(seed)")
                #expect(server.wasState(client.rows[resource], of: resource, at: applied), "seed \(seed)")
            }
        }
    }

    @Test func `are the same for the same seed`() {
        func history(_ seed: UInt64) -> [String] {
            var generator = SeededGenerator(seed: seed)
            var server = ModelServer()
            return (0..<300).map { _ in
                let mutation = server.mutate(using: &generator)
                let page = server.answer("/api/v4/resources/sync?resources=\(Self.everything)&bootstrap=true")
                return "\(mutation) \(page.text)"
            }
        }
        #expect(history(7) == history(7))
        #expect(history(7) != history(8))
    }

    @Test func `go through every kind of mutation`() {
        var kinds: Set<Substring> = []
        var generator = SeededGenerator(seed: 1)
        var server = ModelServer()
        for _ in 0..<3000 {
            let words = server.mutate(using: &generator).description.split(separator: " ")
            kinds.insert(words[0] == "delete" && words.count > 2 ? "delete row" : words[0])
        }
        let all: Set<Substring> = [
            "create", "hide", "publish", "delete", "put", "delete row", "replace", "touch", "change", "forget",
            "restore",
        ]
        #expect(kinds == all)
    }

    static let everything = "notes:*;recitations:*;translations:*"

    static func decodedSnapshot(_ answer: ModelAnswer) throws -> (SnapshotHeader, [ModelServer.RowID: String]) {
        try #require(answer.status == 200, "\(answer.text)")
        var parser = SnapshotParser(capturing: RowKeyMapping.contentSync.names)
        var rows: [ModelServer.RowID: String] = [:]
        var position = 0
        let group = answer.mentioned.first?.group ?? ""
        while try parser.next(in: answer.body, at: &position) {
            let key = try RowKeyMapping.contentSync.key(group, parser.record.fields)
            rows[ModelServer.RowID(key.type, key.key)] = String(decoding: parser.record.bytes, as: UTF8.self)
        }
        return (try parser.finish(), rows)
    }
}

/// Applies what the server says, in order, and nothing else: for a network without faults.
struct SimpleClient {
    let filter: String
    var token: String?
    var rows: [ModelServer.ResourceID: [ModelServer.RowID: String]] = [:]
    var appliedSequences: [ModelServer.ResourceID: Int64] = [:]

    init(filter: String) { self.filter = filter }

    mutating func sync(with server: ModelServer, perPage: Int) throws {
        let resourceFilter = try ResourceFilter(filter)
        var start = token.map { SyncRequest.Start.token($0) } ?? .bootstrap
        var path = SyncRequest(filter: resourceFilter, start: start, perPage: perPage).path
        if server.answer(path.text).status == 410 {
            start = .bootstrap
            path = SyncRequest(filter: resourceFilter, start: start, perPage: perPage).path
        }
        if start == .bootstrap { (rows, appliedSequences) = ([:], [:]) }
        var last: Int64?
        while true {
            let page = try SyncPage(decoding: server.answer(path.text).body)
            if start != .bootstrap { last = try page.validateOrder(after: last) }
            for mutation in page.mutations {
                #expect(resourceFilter.matches(group: mutation.resource.group, id: mutation.resource.id))
                try apply(mutation, from: server)
            }
            guard let next = page.nextPageURL else {
                token = page.nextSyncToken
                return
            }
            path = try ServerPath(next)
        }
    }

    private mutating func apply(_ mutation: Mutation, from server: ModelServer) throws {
        let resource = ModelServer.ResourceID(mutation.resource.group, mutation.resource.id)
        guard mutation.sequence > appliedSequences[resource] ?? 0 else { return }
        if let path = mutation.snapshotURL {
            let answer = server.answer(try ServerPath(path).text)
            if answer.status == 404 {
                rows[resource] = nil
                return
            }
            let (header, copy) = try `Histories of a model server`.decodedSnapshot(answer)
            rows[resource] = copy
            appliedSequences[resource] = header.sequence
        } else if mutation.type == .resourceDelete {
            rows[resource] = nil
            appliedSequences[resource] = mutation.sequence
        } else if mutation.type.isRow, let type = mutation.recordType, let key = mutation.recordKey {
            rows[resource]?[ModelServer.RowID(type, key)] = mutation.data.map { String(decoding: $0, as: UTF8.self) }
            appliedSequences[resource] = mutation.sequence
        }
    }
}
