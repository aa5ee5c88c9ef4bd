// Proves that the search file is private, rebuilt when damaged or missing, and removed with the content.

import Foundation
import LarderEngine
import LarderFormat
import LarderStore
import LarderTesting
import Testing

@testable import LarderQuery

@Suite struct `The search file` {
    private let fixture: QueryStore
    private var path: String { fixture.path + "/search.sqlite" }

    init() throws {
        fixture = try QueryStore()
        try fixture.put([("1", #"{"title": "lamp"}"#), ("2", #"{"title": "cave"}"#)])
    }

    private func found(_ word: String, in store: Store? = nil) throws -> [String] {
        let query = try StoreQuery(store ?? fixture.store, tables: [`A search for words`.table()])
        return try query.search("items", .words(word)).map(\.object.key.key)
    }

    @Test func `is beside the data, for its owner only`() throws {
        #expect(try found("lamp") == ["1"])
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + "/" + name)
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o777 } == 0o600, "\(name)")
        }
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try found("cave") == ["2"])
    }

    @Test(arguments: ["", "-journal", "-wal", "-shm"])
    func `does not follow a planted link`(suffix: String) throws {
        let victim = fixture.path + "/mine"
        try Data(repeating: 7, count: 300).write(to: URL(fileURLWithPath: victim))
        let name = "search.sqlite" + suffix
        try FileManager.default.createSymbolicLink(atPath: fixture.path + "/" + name, withDestinationPath: victim)
        #expect(throws: EngineError.untrustedFile(name: name, problem: .symbolicLink)) { try found("lamp") }
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data(repeating: 7, count: 300))
    }

    @Test func `is found where a link leads to the store`() throws {
        let link = fixture.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        try fixture.store.close()
        let store = try Store.open(at: link, host: fixture.store.host)
        #expect(try found("lamp", in: store) == ["1"])
        #expect(FileManager.default.fileExists(atPath: path))
        try store.close()
    }

    @Test(arguments: [
        "", "no database at all, and long enough to be read as one: \(String(repeating: "x", count: 200))",
    ])
    func `is rebuilt when it is damaged`(content: String) throws {
        #expect(try found("lamp") == ["1"])
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try found("lamp") == ["1"])
    }

    @Test func `is rebuilt wherever a byte of it is wrong`() throws {
        #expect(try found("lamp") == ["1"])
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var random = SeededGenerator(seed: 9)
        for _ in 0..<40 {
            var damaged = whole
            damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            try damaged.write(to: URL(fileURLWithPath: path))
            // A word may be missed, as nothing checks the file's text, but a row that has no such word is never invented.
            let keys = try found("lamp")
            #expect(Set(keys).isSubset(of: ["1", "2"]))
        }
        StoreQuery.removeWordIndex(at: fixture.path)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try found("lamp") == ["1"])
    }

    @Test func `of another store is ignored`() throws {
        let other = try QueryStore()
        try other.put([("8", #"{"title": "lamp"}"#)])
        #expect(try found("lamp", in: other.store) == ["8"])
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other.path + "/search.sqlite", toPath: path)
        #expect(try found("lamp") == ["1"])
    }

    @Test func `follows a snapshot, and drops the one before`() async throws {
        #expect(try found("lamp") == ["1"])
        try await fixture.store.replace(items, appliedSequence: 1) { writer in
            try await writer.append(Array(#"{"title": "torch"}"#.utf8), type: "item", key: "1", updatedAt: 1)
        }
        #expect(try found("lamp") == [])
        #expect(try found("torch") == ["1"])
        let content = try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        #expect(!content.contains("cave"))
        #expect(content.contains("torch"))
    }

    @Test func `is removed with all content, and rebuilt by those that have it open`() async throws {
        let queries = try (0..<2).map { _ in try StoreQuery(fixture.store, tables: [`A search for words`.table()]) }
        func keys(_ word: String) throws -> [[String]] {
            try queries.map { try $0.search("items", .words(word)).map(\.object.key.key) }
        }
        #expect(try keys("lamp") == [["1"], ["1"]])
        #expect(try filesWith("lamp").contains("search.sqlite"))
        try await fixture.store.clear()
        #expect(try filesWith("lamp") == [] && filesWith("cave") == [])
        #expect(!FileManager.default.fileExists(atPath: path))
        try fixture.put([("3", #"{"title": "torch"}"#)])
        #expect(try keys("torch") == [["3"], ["3"]])
        #expect(try keys("lamp") == [[], []])
        // In the file of that name again, not in the one that is gone.
        #expect(try filesWith("torch").contains("search.sqlite"))
        #expect(try filesWith("lamp") == [])
    }

    @Test func `removed while it is open is rebuilt`() throws {
        let query = try StoreQuery(fixture.store, tables: [`A search for words`.table()])
        #expect(try query.search("items", .words("lamp")).count == 1)
        try FileManager.default.removeItem(atPath: path)
        #expect(try query.search("items", .words("cave")).count == 1)
        #expect(try filesWith("cave").contains("search.sqlite"))
    }

    @Test func `removed during a search is rebuilt`() throws {
        let query = try StoreQuery(fixture.store, tables: [`A search for words`.table()])
        #expect(try query.search("items", .words("lamp")).count == 1)
        var calls = 0
        try query.withWordIndex { words in
            calls += 1
            // As another process does that clears the store, behind the look whether the file is still there.
            if calls == 1 { StoreQuery.removeWordIndex(at: fixture.path) }
            try words.connection.execute("CREATE TABLE caught(up)")
        }
        #expect(calls == 2)
        #expect(try query.search("items", .words("cave")).count == 1)
        #expect(try filesWith("cave").contains("search.sqlite"))
    }

    /// The files of the store's directory that hold a text, but for the data file: unused pages of it may.
    private func filesWith(_ text: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.path).filter { name in
            if name == "data.mdb" { return false }
            let content = try Data(contentsOf: URL(fileURLWithPath: fixture.path + "/" + name))
            return content.firstRange(of: Data(text.utf8)) != nil
        }
    }

    @Test func `does not affect opening, verifying and copying the store`() throws {
        #expect(try found("lamp") == ["1"])
        try fixture.store.close()
        let store = try Store.open(at: fixture.path, host: .virtual(VirtualClock()))
        var findings = 0
        _ = try store.verify { _ in findings += 1 }
        #expect(findings == 0)
        #expect(try found("lamp", in: store) == ["1"])
        try store.close()
        let reader = try Store.open(
            at: fixture.path, options: StoreOptions(access: .readOnly), host: .virtual(VirtualClock()))
        try FileManager.default.removeItem(atPath: path)
        // Without the right to write, words are kept in memory.
        #expect(try found("cave", in: reader) == ["2"])
        #expect(!FileManager.default.fileExists(atPath: path))
        try reader.close()
    }
}
