// DamagedStore: a closed store whose file a test changes.

import Foundation
import LarderEngine

/// A closed store with rows of 60 bytes and, as row 3, one of 9000, whose file a test changes.
final class DamagedStore {
    private let directory = TemporaryDirectory()
    private let sound: [UInt8]
    private(set) var changed: [UInt8]

    init() throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        for row in 0..<30 as Range<UInt8> {
            try environment.set(Self.key(row), [UInt8](repeating: row, count: row == 3 ? 9000 : 60))
        }
        try environment.close()
        sound = Array(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb")))
        changed = sound
    }

    static func key(_ row: UInt8) -> [UInt8] { bytes("row \(row + 10)") }

    /// The offset of the node of a row in the page of the last commit. LMDB: `MDB_node`.
    func node(of row: UInt8) -> Int {
        // The table's tree is one page.
        let leaf = Int(sound[description + 40]) * 4096
        return offset(of: Self.key(row), in: leaf..<leaf + 4096) - 8
    }

    /// The offset of the description of the table in the last commit. LMDB: `MDB_db`.
    var description: Int {
        let meta = sound[144] > sound[4096 + 144] ? 0 : 4096
        // The list of tables is one page.
        let main = Int(sound[meta + 88 + 40]) * 4096
        return offset(of: bytes("one"), in: main..<main + 4096) + 3
    }

    /// Opens the store as one that is too large for a check of all pages.
    func open() throws -> Environment {
        var options = EnvironmentOptions.small
        options.fullCheckLimit = 0
        return try Environment.open(path: directory.path, options: options)
    }

    func problems() throws -> [PageProblem] { try Environment.pageProblems(ofStoreAt: directory.path) ?? [] }

    /// Opens the store with a check of all pages, for which no clean close vouches.
    func openChecked() throws -> Environment {
        try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
        return try Environment.open(path: directory.path, options: .small)
    }

    /// Changes bytes of the file in place, which others may have open.
    func overwrite(_ bytes: [UInt8], at offset: Int) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private func offset(of text: [UInt8], in page: Range<Int>) -> Int {
        page.last { sound[$0..<min($0 + text.count, sound.count)].elementsEqual(text) } ?? 0
    }

    func change(_ body: (inout [UInt8]) -> Void) throws {
        changed = sound
        body(&changed)
        try Data(changed).write(to: URL(fileURLWithPath: directory.path + "/data.mdb"))
        // The replaced file is another one than the guard names.
        try FileManager.default.removeItem(atPath: directory.path + "/guard.lock")
    }

    /// What a process says that reads the row and all others in both kinds of transaction.
    func read(_ row: UInt8) throws -> [String] {
        try Probe("read", directory.path, String(decoding: Self.key(row), as: UTF8.self)).finish()
    }
}
