// Proves that passes over changing lists match a model: nothing that stays is deleted, and one quiet pass equalizes.

import LarderFormat
import LarderStore
import LarderSync
import LarderTesting
import Synchronization
import Testing

/// Lists of every size 0 to 40, by pages of every size 1 to 12, on servers that change while they are walked.
@Suite struct `Reconciling, compared with a model` {
    @Test(arguments: 1...12, [Paging.offset, .keyset])
    func `deletes nothing that stays, and one quiet pass makes both sides equal`(
        _ pageSize: Int, _ paging: Paging
    ) async throws {
        for listSize in 0...40 {
            for round in 0..<4 {
                let seed = UInt64(((pageSize * 41 + listSize) * 2 + (paging == .keyset ? 1 : 0)) * 64 + round)
                var history = ModelHistory(seed: seed, paging, pageSize: pageSize, listSize: listSize)
                let fault = history.run()
                #expect(fault == nil, "seed \(seed), \(listSize) items by \(pageSize), \(paging)")
                if fault != nil { return }
            }
        }
    }

    @Test(arguments: 1...12)
    func `does the same with a store, commit by commit`(_ pageSize: Int) async throws {
        let fixture = try ListFixture()
        for listSize in 0...40 {
            let paging: Paging = (listSize + pageSize).isMultiple(of: 3) ? .keyset : .offset
            let seed = UInt64(pageSize * 41 + listSize)
            let resource = ResourceKey("users", Int64(listSize + 1))
            let fault = try await StoreHistory(fixture, resource).run(seed, paging, pageSize, listSize)
            #expect(fault == nil, "seed \(seed), \(listSize) items by \(pageSize), \(paging)")
        }
        var findings: [String] = []
        _ = try fixture.store.verify { finding in findings.append("\(finding)") }
        #expect(findings == [])
    }
}

/// A server whose list changes at random between answers and during them.
enum RandomServer {
    static func make(_ seed: UInt64, _ paging: Paging, _ listSize: Int) -> (ListServer, local: [Int: String]) {
        var random = SeededGenerator(seed: seed)
        let space = 2 * listSize + 4
        let keys = Array(0..<space).shuffled(using: &random).prefix(listSize)
        let local = (0..<space).filter { _ in Bool.random(using: &random) }
        let generator = Mutex(random)
        // The list changes in every phase of a request, or on average in one of up to eight.
        let rate = Int.random(in: 1...8, using: &random)
        let server = ListServer(paging, keys: keys) { state, _ in
            generator.withLock { random in
                guard Int.random(in: 0..<rate, using: &random) == 0 else { return }
                for _ in 0..<Int.random(in: 1...3, using: &random) { change(&state, space, &random) }
            }
        }
        // Some rows are as the server has them, some are old.
        let rows = local.map { ($0, Bool.random(using: &random) ? "row \($0)" : "old") }
        return (server, Dictionary(uniqueKeysWithValues: rows))
    }

    private static func change(_ state: inout ListServer.State, _ space: Int, _ random: inout SeededGenerator) {
        let key = Int.random(in: 0..<space, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: state.put(key, "put \(Int.random(in: 0..<1000, using: &random))")
        case 3..<7: if let found = state.items.keys.sorted().randomElement(using: &random) { state.delete(found) }
        case 7: if let found = state.items.keys.sorted().randomElement(using: &random) { state.hide(found) }
        case 8: if let found = state.hidden.keys.sorted().randomElement(using: &random) { state.show(found) }
        default: if let found = state.items.keys.sorted().randomElement(using: &random) { state.put(found, "edited") }
        }
    }
}

/// One pass on a restless server and one on a quiet one, with the step function alone.
struct ModelHistory {
    let server: ListServer
    let configuration: ListConfiguration
    private var rows: [Int: String]
    private let paging: Paging

    init(seed: UInt64, _ paging: Paging, pageSize: Int, listSize: Int) {
        (server, rows) = RandomServer.make(seed, paging, listSize)
        configuration = ListConfiguration(pageSize: pageSize)
        self.paging = paging
    }

    /// What went wrong, or nil.
    mutating func run() -> String? {
        do {
            try pass()
        } catch ListError.unstable, ListError.unconfirmed {
            // What a restless server leads to; what was applied until then has to be right all the same.
        } catch {
            return "\(error)"
        }
        server.stopChanging()
        do {
            guard try pass() == 0 else { return "a quiet pass took the list for one that moves" }
            let writes = rows
            guard try pass() == 0, rows == writes else { return "a second quiet pass changed something" }
        } catch {
            return "\(error)"
        }
        return rows == server.items ? nil : "\(rows.sorted { $0.key < $1.key }) is not \(server.items)"
    }

    private struct Lost: Error {
        let keys: Set<Int>
    }

    private struct Unseen: Error {
        let keys: Set<Int>
    }

    @discardableResult
    private mutating func pass() throws -> Int {
        server.beginRun()
        var walk = ListWalk(paging, configuration)
        while let request = walk.request {
            let page = try server.answer(request)
            try walk.step(page)
            for item in page.items { rows[Int(item.key) ?? -1] = Self.text(item) }
            if walk.request != nil || walk.failure != nil { continue }
            let missing = rows.keys.filter { !walk.seen.contains(SeenKeys.hash(of: String($0))) }
            if !walk.isConfirmed, !missing.isEmpty || walk.isPlain || walk.seen.count == 0 {
                walk.confirm()
                continue
            }
            let lost = server.throughout.intersection(missing)
            if !lost.isEmpty { throw Lost(keys: lost) }
            for key in missing { rows[key] = nil }
            let unseen = server.throughout.subtracting(rows.keys)
            if !unseen.isEmpty { throw Unseen(keys: unseen) }
        }
        if let failure = walk.failure { throw failure }
        return walk.restarts
    }

    private static func text(_ item: ListItem) -> String {
        String(
            String(decoding: item.payload, as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false)[5])
    }
}

/// The same with a store, which is looked at after every commit.
private final class StoreHistory: Sendable {
    private struct State {
        var keys: Set<Int> = []
        var commit: UInt64 = 0
        var fault: String?
    }

    private let fixture: ListFixture
    private let resource: ResourceKey
    private let state = Mutex(State())

    init(_ fixture: ListFixture, _ resource: ResourceKey) {
        self.fixture = fixture
        self.resource = resource
    }

    func run(_ seed: UInt64, _ paging: Paging, _ pageSize: Int, _ listSize: Int) async throws -> String? {
        let (server, local) = RandomServer.make(seed, paging, listSize)
        try await fixture.put(local, of: resource)
        let configuration = ListConfiguration(pageSize: pageSize, protection: .init(pause: .zero))
        let lists = ListReconciler(store: fixture.store, configuration: configuration) {
            [self] event in check(event, server)
        }
        // What was applied until the list was given up is right all the same.
        _ = try await pass(lists, server)
        server.stopChanging()
        if case .unconfirmed? = try await pass(lists, server) { _ = try await pass(lists, server) }
        if try !fixture.isEqual(to: server, of: resource) { recordFault("both sides differ") }
        return state.withLock { $0.fault }
    }

    /// The reason why a pass ended early, or nil.
    private func pass(_ lists: ListReconciler, _ server: ListServer) async throws -> ListError? {
        try begin(server)
        do throws(ListError) {
            try await lists.reconcile(resource, type: "user", from: server)
            return nil
        } catch {
            switch error {
            case .unstable, .unconfirmed: break
            default: recordFault("\(error)")
            }
            return error
        }
    }

    private func begin(_ server: ListServer) throws {
        server.beginRun()
        let (keys, commit) = (Set(try fixture.keys(of: resource)), try fixture.commit())
        state.withLock { ($0.keys, $0.commit) = (keys, commit) }
    }

    private func check(_ event: ListEvent, _ server: ListServer) {
        guard case .page(_, _, let changes) = event else { return }
        guard let keys = try? Set(fixture.keys(of: resource)), let commit = try? fixture.commit() else {
            return recordFault("the store cannot be read")
        }
        let (lost, commits) = state.withLock { state in
            defer { (state.keys, state.commit) = (keys, commit) }
            return (state.keys.subtracting(keys), commit - state.commit)
        }
        if !lost.isDisjoint(with: server.throughout) { recordFault("\(lost) were on the server all the time") }
        if commits != (changes.isEmpty ? 0 : 1) { recordFault("\(commits) commits for a page") }
    }

    private func recordFault(_ fault: String) { state.withLock { $0.fault = $0.fault ?? fault } }
}
