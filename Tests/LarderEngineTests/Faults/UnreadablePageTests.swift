// Proves that a page that the medium does not return is an error of its rows: reads of others and a salvage go on.

import Foundation
import LarderEngine
import Testing

@Suite(.enabled(if: FaultShim.path != nil, "needs a C compiler, cc")) struct `A page that the medium does not return` {
    private let directory = TemporaryDirectory()
    private let rows = 400

    /// Makes a store, and returns the number of the page with a row, and the number of rows on it.
    private func makeStore() throws -> (page: Int, rows: Int) {
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        try environment.writeBlocking { transaction in
            for row in 0..<rows {
                try transaction.set(bytes("row \(row + 1000)"), [UInt8](repeating: 1, count: 100), in: table)
            }
        }
        try environment.close()
        let data = Array(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")))
        for page in 2..<data.count / 4096 {
            let content = Array(data[page * 4096..<(page + 1) * 4096])
            guard content[10] == 2, content.firstRange(of: bytes("row 1200")) != nil else { continue }
            return (page, (Int(content[12]) + Int(content[13]) << 8 - 16) / 2)
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    private func run(_ command: String, _ argument: String, page: Int) throws -> [String] {
        try Probe(command, directory.path, argument, environment: Self.environment(page: page)).finish()
    }

    private static func environment(page: Int) throws -> [String: String] {
        [
            "LD_PRELOAD": try #require(FaultShim.path), "FAULT_CALL": "read", "FAULT_AT": "\(page)",
            "ASAN_OPTIONS": "verify_asan_link_order=0",
        ]
    }

    @Test func `is an error of its rows, and others are read`() throws {
        let (page, count) = try makeStore()
        let lines = try run("read-all", "\(rows)", page: page)
        #expect(lines == ["opened", "found \(rows - count) failed \(count)"])
    }

    /// Nothing was written for a change that fails before it: the store goes on.
    @Test(arguments: ["set", "remove"]) func `is an error of its changes, and others are made`(change: String) throws {
        let (page, count) = try makeStore()
        let lines = try run("\(change)-all", "\(rows)", page: page)
        if change == "set" { return #expect(lines == ["opened", "changed \(rows - count) failed \(count)"]) }
        // A removal also reads the leaves beside it.
        let words = try #require(lines.last).split(separator: " ")
        let (changed, failed) = (Int(words[1]) ?? 0, Int(words[3]) ?? 0)
        #expect(changed + failed == rows && failed >= count && changed > rows / 2, "\(lines)")
    }

    /// Otherwise a damaged page number could lead to an earlier version of a page for as long as the file is open.
    @Test func `is read again at once where it has the list of free pages`() throws {
        let store = try GuardedStore(seed: 3)
        let version = try #require(store.earlierVersions.first)
        let meta = store.u64(144) > store.u64(4096 + 144) ? 0 : 4096
        try store.changing({ $0.replaceSubrange(version.place..<version.place + 4, with: version.number) }) {
            var environment = try Self.environment(page: Int(store.u64(meta + 40 + 40)))
            environment["FAULT_TIMES"] = "1"
            let key = String(decoding: version.key, as: UTF8.self)
            let lines = try Probe("read-twice", store.path, "deep", key, environment: environment).finish()
            #expect(lines.count { $0.contains("it is free, and used") } == 2, "\(lines)")
        }
    }

    @Test func `is an error of its row where it is any page of a large value`() throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        try environment.writeBlocking { transaction in
            try transaction.set(bytes("row 1000"), [UInt8](repeating: 1, count: 9000), in: table)
        }
        try environment.close()
        let data = Array(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")))
        // Its first page has the flag of large values, and their number of pages.
        let pages = 2..<data.count / 4096
        let first = try #require(pages.last { data[$0 * 4096 + 10] == 4 && data[$0 * 4096 + 12] == 3 })
        for page in first..<first + 3 {
            #expect(try run("read-all", "1", page: page) == ["opened", "found 0 failed 1"], "page \(page - first)")
        }
    }

    @Test func `counts as damaged in a salvage, which has the rows of all others`() throws {
        let (page, count) = try makeStore()
        #expect(try run("salvage", "", page: page) == ["opened", "entries \(rows - count) damaged 1"])
    }

    /// The list of tables is then that of the commit before, and the other pages are found without it.
    @Test func `does not end a salvage where it is any page of the file`() throws {
        _ = try makeStore()
        let size = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")).count
        for page in 2..<size / 4096 {
            let lines = try run("salvage", "", page: page)
            #expect(lines.last?.hasPrefix("entries ") == true, "page \(page): \(lines)")
        }
    }
}
