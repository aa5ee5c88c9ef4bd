// Proves that a file that no clean close vouches for opens after a check of its pages, with a word in the log.

import Foundation
import LarderStore
import Logging
import Testing

@Suite struct `A data file without its guard` {
    static let changes: [(name: String, @Sendable (TemporaryStore) throws -> Void)] = [
        ("guard.lock removed", { try FileManager.default.removeItem(atPath: $0.path + "/guard.lock") }),
        ("guard.lock emptied", { try Data().write(to: URL(fileURLWithPath: $0.path + "/guard.lock")) }),
        ("a byte of its copy of the meta pages changed", { try flip(80, of: $0.path + "/guard.lock") }),
        ("a byte of its mark changed", { try flip(2, of: $0.path + "/guard.lock") }),
        ("a backup copied over data.mdb", { try restore("/backup.mdb", in: $0.path) }),
    ]

    @Test(arguments: 0..<5) func `opens for reading and writing after a check, and the log says so`(change: Int)
        async throws
    {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await fillSample(store)
        try store.close()
        let files = FileManager.default
        try files.copyItem(atPath: directory.path + "/data.mdb", toPath: directory.path + "/backup.mdb")
        let later = try directory.open()
        try await later.write { transaction in try transaction.put(bytes("later"), at: key(50), updatedAt: 1) }
        try later.close()
        #expect(try openings(directory) == [])
        try Self.changes[change].1(directory)
        #expect(
            try openings(directory) == ["no clean close vouches for the file: its pages were checked, and are sound"],
            "\(Self.changes[change].name)")
        #expect(try openings(directory) == [])
    }

    @Test func `is not what a new store is`() throws {
        #expect(try openings(TemporaryStore()) == [])
    }

    /// The messages of an open that writes, and reads what was written.
    private func openings(_ directory: TemporaryStore) throws -> [String] {
        let log = LogMessages()
        var host = HostServices.test
        host.logger = log.logger
        host.logger.logLevel = .notice
        let store = try Store.open(at: directory.path, host: host)
        try store.writeBlocking { transaction in try transaction.put(bytes("new"), at: key(51), updatedAt: 1) }
        #expect(try store.read { view in try view.payload(at: key(51)) } == bytes("new"))
        #expect(try store.verify { _ in }.findings == 0)
        try store.close()
        return log.all
    }

    private static func flip(_ offset: Int, of path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[offset] ^= 0x10
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// As `cp` does: the file stays the same one, with other content.
    private static func restore(_ backup: String, in path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path + backup))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/data.mdb"))
        try file.write(contentsOf: bytes)
        try file.truncate(atOffset: UInt64(bytes.count))
        try file.close()
    }
}
