// Proves that a data file or a store directory that was copied into place opens with its content.
import Foundation
import LarderEngine
import Testing

@Suite struct `A restored file` {
    private let directory = TemporaryDirectory()
    private let backup = TemporaryDirectory()

    private func fill(_ range: Range<UInt8>) throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        for number in range { try environment.set([number], [UInt8](repeating: number, count: 3000)) }
        try environment.close()
    }

    private func keys(_ path: String, _ access: EnvironmentOptions.Access = .readWrite) throws -> [UInt8] {
        let options = EnvironmentOptions(access: access, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let environment = try Environment.open(path: path, options: options)
        defer { try? environment.close() }
        return try environment.contents().map { $0.key[0] }
    }

    /// As `cp` does: the same inode with other content.
    private func overwrite(_ name: String, with content: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path + "/" + name))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: content)
        try file.close()
    }

    @Test(arguments: [1, 2, 3, 9] as [UInt8])
    func `opens in place of a newer one, whose inode it keeps`(later: UInt8) throws {
        try fill(0..<5)
        let saved = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try fill(5..<5 + later)
        try overwrite("data.mdb", with: saved)
        #expect(try keys(directory.path, .readOnly) == [0, 1, 2, 3, 4])
        #expect(try keys(directory.path) == [0, 1, 2, 3, 4])
        try fill(100..<102)
        #expect(try keys(directory.path) == [0, 1, 2, 3, 4, 100, 101])
    }

    @Test func `opens beside readers in a copy of the whole directory`() throws {
        try fill(0..<5)
        #expect(try run("cp", "-a", directory.path, backup.path).status == 0)
        let reader = EnvironmentOptions(
            access: .readOnly, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        let first = try Environment.open(path: backup.path, options: reader)
        #expect(try Probe("try-open", backup.path, "reading").finish() == ["opened"])
        #expect(try Probe("try-open", backup.path, "writing").finish() == ["opened"])
        #expect(try first.contents().count == 5)
        try first.close()
        #expect(try keys(backup.path) == [0, 1, 2, 3, 4])
        #expect(try keys(directory.path) == [0, 1, 2, 3, 4])
    }

    @Test func `with a damaged guard waits until nobody else has it open`() throws {
        try fill(0..<5)
        let holder = try Probe("hold-open", directory.path, "126")
        holder.waitUntilReady()
        var record = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/guard.lock"))
        record[33] ^= 4
        try overwrite("guard.lock", with: record)
        #expect(throws: EngineError.heldByOthers) { try keys(directory.path) }
        holder.finish()
        #expect(try keys(directory.path) == [0, 1, 2, 3, 4])
    }
}
