// EncryptedStore: keys, and a store in which everything secret has one word that can be looked for.

#if Encryption
import Foundation
import LarderEncryption
import LarderFormat
import LarderJSON

@testable import LarderEngine
@testable import LarderStore

extension TemporaryStore {
    func open(_ key: EncryptionKey) throws -> Store { try open(.encrypted(key)) }
}

extension StoreOptions {
    static func encrypted(_ key: EncryptionKey?) -> StoreOptions {
        var options = StoreOptions()
        options.encryption = key.map { .aes256($0) }
        return options
    }
}

/// The word in everything that ``fillSecrets(_:)`` stores and that nobody without the key may see.
let secretWord = "canary"

/// Fills every table; each secret begins with ``secretWord``, what keys show does not.
func fillSecrets(_ store: Store) async throws {
    let secret = bytes("{\"n\":1,\"text\":\"canary-row\"}")
    try await store.replace(translations, with: (1...3).map { (key($0), secret) })
    try await store.declareIndex(sampleIndex)
    try await store.write { transaction in
        try transaction.put(secret, at: key(7, tafsirs), updatedAt: 5)
        let filter = try transaction.updateFilter("canary-filter:1") { $0.token = "canary-token" }
        try transaction.putMember(ofFilter: filter, translations, MemberRecord(listedInRun: 1, finishedInRun: 1))
        for number in 1...2 {
            var write = draft(number)
            write.endpoint = "/canary-endpoint"
            write.payload = bytes("canary-write")
            write.fields = [HeaderField(name: "x-canary", value: bytes("canary-field"))]
            write.account = "canary-account"
            write.entity = "canary-entity"
            write.deduplicationKey = "canary-deduplication"
            write.fingerprint = UInt64(number)
            try transaction.enqueue(write)
        }
        try transaction.removeEntry(draft(1).id, outcome: "canary-outcome", at: 8)
        try transaction.applyOverlay(.patch(bytes("{\"p\":\"canary-patch\"}")), at: key(2), updatedAt: 9)
        try transaction.putCollection(
            CollectionName(class: "translation", query: "canary-query"), rows: [key(3)], home: translations,
            validators: Validators(entityTag: "canary-tag"), fetchedAt: 9)
        try transaction.putSingleAnswer(at: key(2), validators: Validators(lastModified: "canary-date"), fetchedAt: 9)
        try transaction.bindServer("https://canary-server.test", to: .sync)
        try transaction.setServerWait(of: "https://canary-wait.test", milliseconds: 5000, at: 1)
        var session = StoredSession(state: .signedIn, account: "canary-account", changedAt: 3, signedInAt: 2)
        session.setValue(bytes("canary-value"), named: "canary-name")
        try transaction.putSession(session)
        try transaction.appendPoint(bytes("canary-point"), to: BufferName("locations"), at: 1, limit: 3)
    }
    var stored = response("https://canary-host.test/canary-path?canary-query", etag: "canary-etag")
    stored.setTags(["canary-tag"])
    try await store.put(stored, body: bytes("canary-body"))
}

/// The files in a directory that have `word` in any byte.
func files(in path: String, with word: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted().filter { name in
        try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)).range(of: Data(word.utf8)) != nil
    }
}

extension Store {
    /// Every record by table and key, plain; of `meta` only the counters.
    func contents() throws -> [RawRecord] {
        var records: [RawRecord] = []
        for table in TableName.allCases {
            try read { view in
                var last: [UInt8]?
                while true {
                    let page = try view.rawRecords(of: table, after: last)
                    if page.isEmpty { return }
                    records += page.map { RawRecord(table: table, key: $0.key, value: $0.value) }
                    last = page.last?.key
                }
            }
        }
        return records.filter { $0.table != .meta || $0.key == CountersRecord.key }
    }

    /// The numbers of the keys that values are sealed with.
    func usedKeys() throws -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        try environment.read { view in
            for name in TableName.allCases {
                try view.stored.withCursor(in: tables[name]) { cursor in
                    while let entry = try cursor.next() {
                        if let number = SealedValue.keyNumber(of: entry.value) { numbers.insert(number) }
                    }
                }
            }
        }
        return numbers
    }
}
#endif
