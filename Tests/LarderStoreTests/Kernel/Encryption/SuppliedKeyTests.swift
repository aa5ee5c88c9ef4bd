// Proves what happens when the host's key is needed while the store is in use: another key, none, or a slow one.

#if Encryption
import Foundation
import LarderEncryption
import LarderFormat
import Synchronization
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `The key of a store in use` {
    private let directory = TemporaryStore()
    private let old = EncryptionKey.random()
    private let new = EncryptionKey.random()

    /// Replaces the key as another process does, of which this one knows nothing.
    private func replaceElsewhere(_ store: Store, by key: EncryptionKey) async throws {
        let cipher = StoreCipher(.aes256(old))
        let value = try store.read { view in try view.rawRecords(of: .meta) }.first { $0.key == KeysRecord.key }?.value
        let stored = try #require(value)
        try cipher.load(stored.rawSpan, of: store.read { view in try view.format().storeID })
        try cipher.announce(.aes256(key))
        let changed = try cipher.rewrapped(stored.rawSpan, by: .aes256(key))
        try await store.write { transaction in try transaction.changeKeys { _ in changed } }
        store.forgetKeys()
    }

    @Test func `that another process has replaced is refused until an open with the new one`() async throws {
        let store = try directory.open(old)
        try await store.put([key(1)])
        try await replaceElsewhere(store, by: new)
        await #expect(throws: StoreError.encryption(.wrongKey)) { try await store.put([key(2)]) }
        #expect(throws: EngineError.keyRefused) { try store.read { view in try view.payload(at: key(1)) } }
        #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(old) }
        #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(.random()) }
        #expect(throws: EngineError.keyRefused) { try store.read { view in try view.payload(at: key(1)) } }
        let again = try directory.open(new)
        for store in [again, store] {
            #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("1"))
            try await store.put([key(2)])
        }
        try again.close()
        try await store.put([key(3)])
        #expect(try store.findings().isEmpty)
        try store.close()
    }

    @Test func `stays the one of the first open while that one opens the store`() async throws {
        let calls = Mutex(0)
        var options = StoreOptions()
        options.encryption = .aes256 {
            calls.withLock { $0 += 1 }
            return old
        }
        let store = try directory.open(options)
        try directory.open(old).close()
        let before = calls.withLock { $0 }
        store.forgetKeys()
        try await store.put([key(1)])
        store.forgetKeys()
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("1"))
        #expect(calls.withLock { $0 } > before)
        try store.close()
    }

    @Test func `that the host cannot supply now is the host's error, not a refusal, and ends nothing`() async throws {
        struct Locked: Error {}
        let isLocked = Mutex(false)
        var options = StoreOptions()
        options.encryption = .aes256 {
            if isLocked.withLock({ $0 }) { throw Locked() }
            return old
        }
        let store = try directory.open(options)
        try await store.put([key(1), key(2)])
        store.forgetKeys()
        isLocked.withLock { $0 = true }
        #expect(throws: Locked.self) { _ = try store.read { view in try view.payload(at: key(1)) } }
        #expect(throws: Locked.self) { try store.keys(.all(of: translations)) }
        _ = try store.read { view in
            #expect(throws: EngineError.keyUnavailable(KeyFailure(Locked()))) { _ = try view.payload(at: key(1)) }
        }
        isLocked.withLock { $0 = false }
        #expect(try store.read { view in try view.payload(at: key(1)) } == bytes("1"))
        #expect(try store.keys(.all(of: translations)) == ["1", "2"])
        try store.close()
    }

    @Test func `keeps nothing waiting while the host supplies it`() async throws {
        let cipher = Mutex<StoreCipher?>(nil)
        let isFree = Mutex<[Bool]>([])
        var options = StoreOptions()
        options.encryption = .aes256 {
            if let cipher = cipher.withLock({ $0 }) {
                let found = cipher.state.withLockIfAvailable { _ in true }
                isFree.withLock { $0.append(found ?? false) }
            }
            return old
        }
        let store = try directory.open(options)
        try await store.put([key(1)])
        cipher.withLock { $0 = store.shared.cipher }
        store.forgetKeys()
        _ = try store.read { view in try view.payload(at: key(1)) }
        try await store.rotateEncryption(to: .aes256(new))
        #expect(isFree.withLock { $0 }.allSatisfy { $0 } && isFree.withLock { $0 }.count > 2)
        try store.close()
    }

    @Test func `is supplied by a function that must not need it itself`() async throws {
        await #expect(processExitsWith: .failure) {
            let directory = TemporaryStore()
            let key = EncryptionKey.random()
            let used = Mutex<Store?>(nil)
            var options = StoreOptions()
            options.encryption = .aes256 {
                if let store = used.withLock({ $0 }) {
                    _ = try store.read { view in try view.payload(at: LarderStoreTests.key(1)) }
                }
                return key
            }
            let store = try directory.open(options)
            try await store.put([LarderStoreTests.key(1)])
            store.forgetKeys()
            used.withLock { $0 = store }
            _ = try store.read { view in try view.payload(at: LarderStoreTests.key(1)) }
        }
    }

    /// The system may report an error of a commit that it has written all the same.
    @Test func `is right after a replacement whose commit is stored in spite of its error`() async throws {
        let store = try directory.open(old)
        try await store.put([key(1)])
        let cipher = try #require(store.shared.cipher)
        try cipher.announce(.aes256(new))
        try await store.write { transaction in
            try transaction.changeKeys { value in try cipher.rewrapped(value, by: .aes256(new)) }
        }
        cipher.withdrawAnnouncement()
        try await store.put([key(2)])
        store.forgetKeys()
        #expect(try store.read { view in try view.payload(at: key(2)) } == bytes("2"))
        try await store.rotateEncryption(to: .aes256(new))
        #expect(try store.usedKeys() == [3])
        #expect(try store.findings().isEmpty)
        try store.close()
        #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(old) }
        try directory.open(new).close()
    }

    @Test func `is the old one after a replacement whose commit is not stored`() async throws {
        let store = try directory.open(old)
        try await store.put([key(1)])
        let cipher = try #require(store.shared.cipher)
        try cipher.announce(.aes256(new))
        cipher.withdrawAnnouncement()
        try await store.put([key(2)])
        #expect(cipher.state.withLock { $0.hosts.unconfirmed.isEmpty })
        try store.close()
        try directory.open(old).close()
    }
}

extension Store {
    /// Forgets the opened data keys, so that the next value needs the host's key.
    func forgetKeys() {
        shared.cipher?.state.withLock { state in
            state.keys.ring = KeyRing()
            state.keys.value = []
        }
    }
}
#endif
