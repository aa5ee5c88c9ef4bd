// Proves that the key of a store can be replaced while it is used, and that an interruption at any step is completed.

#if Encryption
import LarderEncryption
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `Replacing the key of a store` {
    private let directory = TemporaryStore()
    private let old = EncryptionKey.random()
    private let new = EncryptionKey.random()

    @Test func `seals everything anew, and leaves the content as it is`() async throws {
        let store = try directory.open(old)
        try await fillSample(store)
        let content = try store.contents()
        #expect(try store.usedKeys() == [1])
        try await store.rotateEncryption(to: .aes256(new))
        #expect(try store.usedKeys() == [2])
        #expect(try store.contents() == content)
        #expect(try store.findings().isEmpty)
        try await store.put([key(8)])
        try store.close()
        #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(old) }
        let again = try directory.open(new)
        #expect(again.shared.cipher?.rotationTarget == nil)
        #expect(try again.findings().isEmpty)
        try again.close()
    }

    @Test func `is completed by the next open, after any number of steps`() async throws {
        for steps in 0..<4 {
            let directory = TemporaryStore()
            let store = try directory.open(old)
            try await fillSample(store)
            let content = try store.contents()
            try await begin(store, steps: steps)
            #expect(try store.findings().isEmpty)
            #expect(try store.contents() == content)
            try store.close()
            #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(old) }
            var options = StoreOptions.encrypted(new)
            options.isStepped = true
            let again = try directory.open(options)
            while again.runNextWrite() {}
            #expect(try again.usedKeys() == [2])
            #expect(try again.contents() == content)
            try again.close()
            let last = try directory.open(new)
            #expect(last.shared.cipher?.rotationTarget == nil, "the old key is there after \(steps) steps")
            try last.close()
        }
    }

    /// Replaces the key, and seals the values of some tables anew, as a process does that is killed then.
    private func begin(_ store: Store, steps: Int) async throws {
        let cipher = try #require(store.shared.cipher)
        try cipher.announce(.aes256(new))
        try await store.write { transaction in
            try transaction.changeKeys { value in try cipher.rewrapped(value, by: .aes256(new)) }
        }
        try await store.write { transaction in
            var place = ResealingPlace()
            for _ in 0..<steps {
                place = try transaction.resealSome(below: 2, from: place, isTimeUp: { true }) ?? place
            }
        }
    }

    @Test func `leaves the old key in place when the new one cannot be had`() async throws {
        struct Locked: Error {}
        let store = try directory.open(old)
        try await store.put([key(1)])
        await #expect(throws: Locked.self) { try await store.rotateEncryption(to: .aes256 { throw Locked() }) }
        try await store.put([key(2)])
        try store.close()
        let again = try directory.open(old)
        #expect(try again.findings().isEmpty)
        try again.close()
    }

    /// Records of the keys of earlier commits, which the host's key opens too, are met by readers and by a salvage.
    @Test func `by itself gives a new data key, which seals whatever older keys are met`() async throws {
        let store = try directory.open(old)
        try await store.put([key(1)])
        let earlier = try store.read { view in try view.rawRecords(of: .meta) }
        let record = try #require(earlier.first { $0.key == KeysRecord.key })
        for number in 2...3 {
            try await store.rotateEncryption(to: .aes256(old))
            #expect(try store.usedKeys() == [UInt32(number)])
        }
        _ = try store.shared.cipher?.keys(with: record.value.rawSpan)
        try await store.put([key(2)])
        #expect(try store.usedKeys() == [3])
        let content = try store.contents()
        try store.close()
        let saved = TemporaryStore()
        let report = try Store.salvage(at: directory.path, to: saved.path, host: .test, encryption: .aes256(old))
        #expect(report.findings == 0)
        let salvaged = try saved.open(old)
        #expect(try salvaged.findings().isEmpty)
        #expect(try salvaged.contents().count { $0.table == .rows } == content.count { $0.table == .rows })
        try salvaged.close()
    }

    @Test func `is refused while this process replaces it already`() async throws {
        let store = try directory.open(old)
        try await store.put([key(1)])
        try store.shared.cipher?.announce(.aes256(new))
        await #expect(throws: StoreError.encryption(.replacementUnderWay)) {
            try await store.rotateEncryption(to: .aes256(.random()))
        }
        store.shared.cipher?.withdrawAnnouncement()
        try await store.rotateEncryption(to: .aes256(new))
        try store.close()
        try directory.open(new).close()
    }

    @Test func `of a plain store is refused`() async throws {
        let store = try directory.open()
        await #expect(throws: StoreError.encryption(.notEncrypted)) {
            try await store.rotateEncryption(to: .aes256(new))
        }
        try store.close()
    }

    @Test func `makes what is left in free pages unreadable to the new key`() async throws {
        let store = try directory.open(old)
        try await store.put([key(1)])
        let sealed = try store.environment.read { view in
            try view.stored.withCursor(in: store.tables.rows) { cursor in
                var values: [(key: [UInt8], value: [UInt8])] = []
                while let entry = try cursor.next() {
                    values.append(([UInt8](copying: entry.key), [UInt8](copying: entry.value)))
                }
                return values
            }
        }
        try await store.rotateEncryption(to: .aes256(new))
        try store.close()
        let again = try directory.open(new)
        let ring = try #require(again.environment.cipher?.keys() as? KeyRing)
        for (key, value) in sealed {
            var plain = [UInt8](repeating: 0, count: value.count - SealedValue.overhead)
            let isOpened = plain.withMutableRawSpan { output in
                ring.opens(value.rawSpan, of: key.rawSpan, in: "rows", into: &output)
            }
            #expect(!isOpened)
        }
        try again.close()
    }
}
#endif
