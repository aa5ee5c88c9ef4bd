// Proves that the object storages, memory and store, fulfil one contract and give equal results.

import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTesting
import Testing

/// The storages that keep objects, which must return the same results.
enum StorageKind: String, CaseIterable, CustomTestStringConvertible {
    case store, memory

    var testDescription: String { rawValue }
}

/// A storage and what has to live as long as it.
private final class Fixture {
    let storage: any ObjectStorage
    private let store: Store?
    private let path = FileManager.default.temporaryDirectory.path + "/larder-storage-\(UUID().uuidString)"

    init(_ kind: StorageKind) throws {
        switch kind {
        case .memory:
            store = nil
            storage = MemoryObjectStorage()
        case .store:
            let store = try Store.open(at: path, host: .virtual(VirtualClock()))
            self.store = store
            storage = StoreObjectStorage(store)
        }
    }

    deinit {
        try? store?.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    func findings() throws -> [Finding] {
        var findings: [Finding] = []
        _ = try store?.verify { findings.append($0) }
        return findings
    }
}

private func object(_ id: Int, _ payload: String = "p") -> StoredObject {
    StoredObject(name: user(id), updatedAt: 5, payload: Array(payload.utf8))
}

@Suite(.serialized) struct `A storage of objects` {
    private let tag = Validators(entityTag: "\"1\"")

    @Test(arguments: StorageKind.allCases)
    func `stores an object once, and shows its change in every collection`(kind: StorageKind) async throws {
        let fixture = try Fixture(kind)
        let storage = fixture.storage
        try await storage.apply([
            .put(object(1)), .put(object(2)), .putCollection(allUsers, members: [user(2), user(1)], tag, at: 7),
            .putCollection(users("x < 2"), members: [user(1)], tag, at: 8),
        ])
        try await storage.apply([.put(object(1, "new"))])
        let all = try #require(try storage.collection(allUsers))
        #expect(all.members == [user(2), user(1)])
        #expect(all.fetchedAt == 7)
        for name in [allUsers, users("x < 2")] {
            #expect(try storage.collection(name)?.objects[user(1)] == object(1, "new"))
        }
        #expect(try storage.object(user(1))?.object == object(1, "new"))
        #expect(try Set(storage.collections(containing: user(1))) == [allUsers, users("x < 2")])
        #expect(try fixture.findings() == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `forgets validators with the content they speak of`(kind: StorageKind) async throws {
        let fixture = try Fixture(kind)
        defer { withExtendedLifetime(fixture) {} }
        let storage = fixture.storage
        try await storage.apply([
            .put(object(1)), .putSingleAnswer(user(1), tag, at: 3),
            .putCollection(allUsers, members: [user(1)], tag, at: 7),
        ])
        // The same content again says nothing new.
        try await storage.apply([.put(object(1))])
        #expect(try storage.object(user(1))?.answer == SingleAnswer(validators: tag, fetchedAt: 3))
        #expect(try storage.collection(allUsers)?.validators == tag)
        try await storage.apply([.put(object(1, "new"))])
        #expect(try storage.object(user(1))?.answer == nil)
        #expect(try storage.collection(allUsers)?.validators == Validators())
        #expect(try storage.collection(allUsers)?.fetchedAt == 7)
    }

    @Test(arguments: StorageKind.allCases)
    func `retains what a confirmation omits`(kind: StorageKind) async throws {
        let fixture = try Fixture(kind)
        defer { withExtendedLifetime(fixture) {} }
        let storage = fixture.storage
        try await storage.apply([
            .put(object(1)),
            .putCollection(
                allUsers, members: [user(1)], Validators(entityTag: "\"1\"", lastModified: "then"), at: 7),
            .confirmCollection(allUsers, Validators(entityTag: "\"2\""), at: 9),
            .confirmCollection(users("none"), tag, at: 9),
        ])
        let entry = try #require(try storage.collection(allUsers))
        #expect(entry.validators == Validators(entityTag: "\"2\"", lastModified: "then"))
        #expect(entry.fetchedAt == 9)
        #expect(try storage.collection(users("none")) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `holds what is removed as missing until it comes again`(kind: StorageKind) async throws {
        let fixture = try Fixture(kind)
        defer { withExtendedLifetime(fixture) {} }
        let storage = fixture.storage
        try await storage.apply([
            .put(object(1)), .put(object(2)), .putCollection(allUsers, members: [user(1), user(2)], tag, at: 7),
            .remove(user(1)),
        ])
        let entry = try #require(try storage.collection(allUsers))
        #expect(entry.members == [user(1), user(2)])
        #expect(Set(entry.objects.keys) == [user(2)])
        #expect(try storage.object(user(1)) == nil)
        try await storage.apply([.put(object(1, "again"))])
        #expect(try storage.collection(allUsers)?.objects[user(1)] == object(1, "again"))
    }

    @Test(arguments: StorageKind.allCases)
    func `removes with a collection what no other holds`(kind: StorageKind) async throws {
        let fixture = try Fixture(kind)
        let storage = fixture.storage
        try await storage.apply(
            (1...4).map { .put(object($0)) } + [
                .putCollection(allUsers, members: (1...4).map(user), tag, at: 7),
                .putCollection(users("x < 2"), members: [user(1)], tag, at: 7),
                .removeCollectionAndObjects(allUsers, keeping: [user(2)]),
            ])
        #expect(try storage.collection(allUsers) == nil)
        let left = try (1...4).map { try storage.object(user($0)) != nil }
        #expect(left == [true, true, false, false])
        #expect(try storage.collections(containing: user(1)) == [users("x < 2")])
        #expect(try fixture.findings() == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `removes a class with all its collections, and no other class`(kind: StorageKind) async throws {
        let fixture = try Fixture(kind)
        let storage = fixture.storage
        let other = StoredObject(name: ObjectName(class: "Users", id: "1"), updatedAt: 1, payload: [1])
        let referred = other.name.references(by: "friends", toClass: "User")
        try await storage.apply([
            .put(object(1)), .put(other), .putSingleAnswer(user(1), tag, at: 1),
            .putCollection(allUsers, members: [user(1)], tag, at: 7),
            .putCollection(referred, members: [user(1)], tag, at: 7),
            .putCollection(CollectionName(class: "Users"), members: [other.name, user(1)], tag, at: 7),
            .removeClass("User"),
        ])
        #expect(try storage.object(user(1)) == nil)
        #expect(try storage.collections(ofClass: "User") == [])
        #expect(try storage.collections(ofClass: "Users") == [CollectionName(class: "Users")])
        #expect(try storage.object(other.name)?.object == other)
        // It can be filled again.
        try await storage.apply([.put(object(2))])
        #expect(try storage.object(user(2)) != nil)
        #expect(try storage.object(user(1)) == nil)
        #expect(try fixture.findings() == [])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `returns the same as the other after the same changes`(seed: UInt64) async throws {
        let store = try Fixture(.store)
        let memory = try Fixture(.memory)
        var random = SeededGenerator(seed: seed)
        let names = [allUsers, users("x < 2"), user(1).references(by: "friends", toClass: "User")]
        for step in 0..<200 {
            var changes: [ObjectChange] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changes.append(Self.change(names, step, &random))
            }
            try await store.storage.apply(changes)
            try await memory.storage.apply(changes)
            for name in names {
                let pair = try (store.storage.collection(name), memory.storage.collection(name))
                #expect(pair.0 == pair.1, "seed \(seed) step \(step)")
            }
            for id in 1...5 {
                let pair = try (store.storage.object(user(id)), memory.storage.object(user(id)))
                #expect(pair.0 == pair.1, "seed \(seed) step \(step)")
                let holders = try (
                    Set(store.storage.collections(containing: user(id))),
                    Set(memory.storage.collections(containing: user(id)))
                )
                #expect(holders.0 == holders.1, "seed \(seed) step \(step)")
            }
        }
        #expect(try store.findings() == [], "seed \(seed)")
    }

    private static func change(
        _ names: [CollectionName], _ step: Int, _ random: inout SeededGenerator
    ) -> ObjectChange {
        let id = user(Int.random(in: 1...5, using: &random))
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        let tag = Validators(entityTag: "\"\(step)\"")
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<5:
            let payload = [UInt8.random(in: 0...2, using: &random)]
            return .put(StoredObject(name: id, updatedAt: Int64(step), payload: payload))
        case 5..<9:
            let count = Int.random(in: 0...6, using: &random)
            let members = (0..<count).map { _ in user(Int.random(in: 1...5, using: &random)) }
            return .putCollection(name, members: members, tag, at: Int64(step))
        case 9: return .confirmCollection(name, tag, at: Int64(step))
        case 10: return .remove(id)
        case 11: return .removeCollection(name)
        case 12: return .removeCollectionAndObjects(name, keeping: [id])
        default: return step % 20 == 0 ? .removeClass("User") : .remove(id)
        }
    }
}

@Suite struct `Objects in memory` {
    @Test func `above their limit lose those used longest ago, and their collections say so`() async throws {
        let storage = MemoryObjectStorage(limit: 4000)
        let payload = [UInt8](repeating: 1, count: 500)
        try await storage.apply(
            (1...3).map { .put(StoredObject(name: user($0), updatedAt: 1, payload: payload)) } + [
                .putCollection(allUsers, members: (1...3).map(user), Validators(), at: 1)
            ])
        _ = storage.object(user(1))
        try await storage.apply(
            (4...6).map { .put(StoredObject(name: user($0), updatedAt: 1, payload: payload)) })
        #expect(storage.object(user(1)) != nil)
        #expect(storage.object(user(2)) == nil)
        #expect(storage.collection(allUsers)?.members == (1...3).map(user))
        #expect(storage.collection(allUsers)?.objects[user(2)] == nil)
    }
}
