// Proves that the embedded store of keys forgets what has expired, and never executes a write whose record is damaged.

import Foundation
import HTTPTypes
import LarderEngine
import LarderFormat
import Testing

@testable import LarderServer

@Suite struct `An embedded store of keys`: KeyedWriteSuite {
    private let folder = IdempotencyFolder()

    @Test func `forgets expired answers a few at a time, with every execution`() async throws {
        let store = try folder.open()
        for number in 0..<100 { try await execute("a\(number)", in: TestStore(store), at: 0) }
        #expect(try store.responseCount() == 100)
        try await execute("b", in: TestStore(store), at: 999)
        #expect(try store.responseCount() == 101, "nothing has expired yet")
        for number in 0..<20 {
            let before = try store.responseCount()
            try await execute("c\(number)", in: TestStore(store), at: 1000)
            let removed = before + 1 - (try store.responseCount())
            #expect(removed <= LMDBIdempotencyStore.evictedAtOnce)
        }
        #expect(try store.responseCount() == 21)
        #expect(try store.writes().count == 121, "what the writes did stays")
        try store.close()
    }

    @Test func `does not execute a write whose record is damaged`() async throws {
        let store = try folder.open()
        try await execute("a", in: TestStore(store), at: 0)
        let stored = KeyTables.responseKey(try key("a"))
        try store.environment.writeBlocking { transaction in
            var value: [UInt8] = []
            if let found = try transaction.reader.value(forKey: stored.rawSpan, in: store.tables.keys) {
                value = [UInt8](copying: found)
            }
            value[20] ^= 1
            try transaction.set(value.rawSpan, forKey: stored.rawSpan, in: store.tables.keys)
        }
        await #expect(throws: IdempotencyError.damaged(.checksumMismatch)) {
            try await store.claim(key("a"), for: fingerprint, at: 1, leaseEnd: 2)
        }
        // Neither does it go when it would have expired.
        for number in 0..<3 { try await execute("b\(number)", in: TestStore(store), at: 2000) }
        await #expect(throws: IdempotencyError.damaged(.checksumMismatch)) {
            try await store.claim(key("a"), for: fingerprint, at: 2000, leaseEnd: 2001)
        }
        try store.close()
    }

    @Test func `refuses a directory with something else`() throws {
        let other = try Environment.open(
            path: folder.url.path, options: EnvironmentOptions(tables: ["meta"], mapSize: 1 << 20, mapSizeCap: 1 << 20))
        try other.close()
        #expect(throws: IdempotencyError.notAKeyStore) { try folder.open() }
    }

    @Test func `iterates its tables in the order of their keys`() async throws {
        let store = try folder.open()
        for name in ["b", "a", "c"] { try await execute(name, in: TestStore(store), at: 0) }
        let seen = try await store.perform(
            { transaction in
                var names: [String] = []
                try transaction.forEach(from: [UInt8(ascii: "b")], in: "writes") { key, _ in
                    names.append(String(decoding: key, as: UTF8.self))
                    return true
                }
                #expect(try transaction.count(of: "writes") == 3)
                #expect(try transaction.value(forKey: [UInt8(ascii: "a")], in: "writes") == [])
                #expect(try transaction.remove([UInt8(ascii: "a")], in: "writes"))
                #expect(throws: IdempotencyError.unknownTable("visits")) { try transaction.count(of: "visits") }
                return IdempotentResponse(.ok, json: names.joined())
            }, under: nil, at: 0, keeping: retention)
        #expect(seen == .executed(IdempotentResponse(.ok, json: "bc")))
        #expect(try store.writes() == ["b", "c"])
        try store.close()
    }
}
