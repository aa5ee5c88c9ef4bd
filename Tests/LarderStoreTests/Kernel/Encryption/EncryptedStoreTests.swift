// Proves that an encrypted store reads as a plain one with its key, shows no secret without it, and opens with no other.

#if Encryption
import Foundation
import LarderEncryption
import LarderFormat
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite struct `An encrypted store` {
    private let directory = TemporaryStore()
    private let key = EncryptionKey.random()

    @Test func `has records in every table that all verify, also when it is opened again`() async throws {
        let store = try directory.open(key)
        try await fillSample(store)
        #expect(store.isEncrypted)
        #expect(try store.findings().isEmpty)
        let content = try store.contents()
        #expect(Set(content.map(\.table)).isSuperset(of: tablesOfSample))
        try store.close()
        let again = try directory.open(key)
        #expect(try again.contents() == content)
        #expect(try again.findings().isEmpty)
        try again.close()
    }

    @Test func `shows no secret in any byte of any file`() async throws {
        let store = try directory.open(key)
        try await fillSecrets(store)
        #expect(try store.findings().isEmpty)
        #expect(try files(in: directory.path, with: secretWord).isEmpty)
        try await store.reclaim()
        let published = TemporaryStore()
        try store.publish(to: published.path)
        try store.close()
        #expect(try files(in: directory.path, with: secretWord).isEmpty)
        #expect(try files(in: published.path, with: secretWord).isEmpty)
    }

    @Test func `differs in this from a plain one, where the same search finds the data file`() async throws {
        let store = try directory.open()
        try await fillSecrets(store)
        #expect(try files(in: directory.path, with: secretWord) == ["data.mdb"])
        try store.close()
    }

    @Test func `is refused without its key and with another one, and nothing is changed`() async throws {
        let store = try directory.open(key)
        try await fillSample(store)
        try store.close()
        let file = URL(fileURLWithPath: directory.path + "/data.mdb")
        let before = try Data(contentsOf: file)
        #expect(throws: StoreError.encryption(.keyMissing)) { try directory.open() }
        #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(.random()) }
        #expect(throws: StoreError.encryption(.keyMissing)) { try Store.destroy(at: directory.path) }
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `is refused to a second open with another key while it is open`() throws {
        let store = try directory.open(key)
        #expect(throws: StoreError.encryption(.keyMissing)) { try directory.open() }
        #expect(throws: StoreError.encryption(.wrongKey)) { try directory.open(.random()) }
        try directory.open(key).close()
        try store.close()
    }

    @Test func `is not what a plain store is taken for`() throws {
        try directory.open().close()
        #expect(throws: StoreError.encryption(.notEncrypted)) { try directory.open(key) }
    }

    @Test func `passes on the error of a host that has no key`() throws {
        struct Locked: Error {}
        var options = StoreOptions()
        options.encryption = .aes256 { throw Locked() }
        #expect(throws: Locked.self) { try directory.open(options) }
        try directory.open(key).close()
        #expect(throws: Locked.self) { try directory.open(options) }
    }

    @Test func `finds and removes responses by key, beginning and tag`() async throws {
        let store = try directory.open(key)
        var first = response("https://a.test/1")
        first.setTags(["start"])
        try await store.put(first)
        try await store.put(response("https://a.test/2"))
        try await store.put(response("https://b.test/"))
        #expect(try store.storedResponse("https://a.test/1", language: "de")?.record.key == "https://a.test/1")
        #expect(try await store.removeResponses(.tag("start")) == 1)
        #expect(try await store.removeResponses(.prefix("https://a.test/")) == 1)
        #expect(try store.storedResponse("https://b.test/", language: "de") != nil)
        #expect(try store.findings().isEmpty)
        try store.close()
    }

    @Test func `can be destroyed with its key, or with what was not sent`() async throws {
        try directory.open(key).close()
        try Store.destroy(at: directory.path, encryption: .aes256(key))
        try directory.open(key).close()
        try Store.destroy(at: directory.path, discardingUnsent: true)
    }

    @Test func `does not show its key in descriptions`() {
        #expect("\(key)" == "EncryptionKey")
        #expect(EncryptionKey(bytes: key.bytes)?.bytes == key.bytes)
        #expect(EncryptionKey(bytes: [1, 2, 3]) == nil)
    }
}
#endif
