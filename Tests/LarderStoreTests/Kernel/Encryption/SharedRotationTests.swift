// Proves that one process can replace the key of a store while another one reads and writes it.

#if Encryption
import LarderEncryption
import LarderFormat
import Synchronization
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite(.timeLimit(.minutes(3))) struct `The key of a store that two processes use` {
    private let directory = TemporaryStore()
    private let keys = (0..<4).map { _ in EncryptionKey.random() }

    /// Replaces each key by the next one, in a process of its own.
    private func replaceElsewhere() async {
        await #expect(processExitsWith: .success) {
            [path = directory.path as String, keys = keys.map(\.bytes) as [[UInt8]]] in
            let keys = keys.compactMap { EncryptionKey(bytes: $0) }
            let store = try Store.open(at: path, options: .encrypted(keys[0]), host: .test)
            for key in keys.dropFirst() { try await store.rotateEncryption(to: .aes256(key)) }
            try store.close()
        }
    }

    /// Opens the store with whichever key opens it now.
    private func openWithCurrentKey() throws -> Store {
        for key in keys {
            do { return try directory.open(key) } catch StoreError.encryption(.wrongKey) {}
        }
        return try directory.open(keys[0])
    }

    @Test func `can be replaced by one, and the other goes on with the new key, and loses nothing`() async throws {
        let store = try directory.open(keys[0])
        try await store.replace(translations, with: (0..<300).map { (key(-$0 - 1), bytes("\(-$0 - 1)")) })
        let isReplaced = Mutex(false)
        async let child: Void = {
            await replaceElsewhere()
            isReplaced.withLock { $0 = true }
        }()
        var opens = [store]
        var acknowledged = 0
        var isLast = false
        while !isLast {
            isLast = isReplaced.withLock { $0 }
            do {
                try await store.put([key(acknowledged + 1)])
                acknowledged += 1
                #expect(try store.read { view in try view.payload(at: key(acknowledged)) } == bytes("\(acknowledged)"))
                #expect(try store.keys(.all(of: translations)).count == 300 + acknowledged)
            } catch StoreError.encryption(.wrongKey) {
                opens.append(try openWithCurrentKey())
            } catch EngineError.keyRefused {
                opens.append(try openWithCurrentKey())
            }
        }
        await child
        #expect((2...4).contains(opens.count), "refused \(opens.count - 1) times")
        try await store.put([key(acknowledged + 1)])
        #expect(try store.keys(.all(of: translations)).count == 301 + acknowledged)
        #expect(try store.usedKeys() == [4])
        #expect(try store.findings().isEmpty)
        for open in opens { try open.close() }
        let again = try directory.open(keys[3])
        #expect(try again.keys(.all(of: translations)).count == 301 + acknowledged)
        try again.close()
    }
}
#endif
