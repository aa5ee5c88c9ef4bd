// Encryption: proves that the code of the article compiles, and makes a store that opens with its key only.

#if Encryption
import Foundation
import Larder
import LarderEncryption
import LarderStore
import Testing

@Suite struct `The article on encryption` {
    /// Stands for the keychain of an app.
    struct Keychain {
        let stored = EncryptionKey.random()
        func key() throws -> EncryptionKey { stored }
    }

    private func open(_ path: String, _ keychain: Keychain) throws -> Store {
        // block begins
        var options = StoreOptions()
        options.encryption = .aes256 { try keychain.key() }  // 32 bytes of EncryptionKey.random(); or .aes256(key)
        let store = try Store.open(at: path, options: options)
        // block ends
        return store
    }

    @Test func `shows how a store is opened that needs its key`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "larder-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let keychain = Keychain()
        try open(path, keychain).close()
        #expect(throws: StoreError.encryption(.keyMissing)) { try Store.open(at: path) }
        #expect(throws: StoreError.encryption(.wrongKey)) { try open(path, Keychain()) }
        try open(path, keychain).close()
    }
}
#endif
