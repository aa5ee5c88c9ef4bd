// ReleaseFixture: a store with rows that came through a filter, and accepted or pending writes over them.

import LarderFormat
import LarderStore
import Testing

/// A store with rows 1 to 3 of a resource that came through a filter, and writes over them.
struct ReleaseFixture {
    let temporary = TemporaryStore()
    let store: Store
    static let filter = "translations:19"

    /// - Parameter isHeld: whether a filter has the resource; else it is one that no filter ever brought.
    init(isHeld: Bool = true) async throws {
        store = try temporary.open()
        try await store.write { transaction in
            for number in 1...3 { try transaction.put(bytes(#"{"a":1}"#), at: key(number), updatedAt: 1) }
            guard isHeld else { return }
            try transaction.update(translations) { $0.appliedSequence = 10 }
            let number = try transaction.updateFilter(Self.filter) { $0.run = 1 }
            try transaction.putMember(ofFilter: number, translations, MemberRecord(listedInRun: 1))
        }
    }

    func text(_ number: Int) throws -> String? {
        try store.read { view in try view.payload(at: key(number)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    var overlays: [Overlay] {
        get throws { try store.read { view in try view.overlays(of: translations) } }
    }

    var state: ResourceState? {
        get throws { try store.read { view in try view.resource(translations)?.state } }
    }

    func enqueue(_ number: Int, _ effects: [RowEffect], lane: String = "a") async throws {
        try await store.write { transaction in try transaction.enqueue(draft(number, lane: lane), effects: effects) }
    }

    func accept(_ number: Int, at sequence: Int64? = nil) async throws {
        try await store.write { transaction in
            try transaction.completeEntry(draft(number).id, sequence: sequence, at: 9)
        }
    }

    /// The server hides the resource: the filter lets it go.
    func hide(at sequence: Int64) async throws {
        try await store.write { transaction in
            let number = try transaction.filter(Self.filter)?.number ?? 0
            try transaction.removeMember(ofFilter: number, translations)
            try transaction.withdraw(translations, at: ServerPosition(0, sequence), as: .hidden)
        }
    }

    /// Waits for what is released behind the scenes; gives up after much longer than that can take.
    static func wait(in store: Store, until isDone: () throws -> Bool) async throws {
        for _ in 0..<10_000 {
            if try isDone() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("still not released")
    }
}

/// A row whose payload says whose it is.
func localEffect(_ number: Int) -> RowEffect { RowEffect(.replacement(bytes("mine")), at: key(number)) }
