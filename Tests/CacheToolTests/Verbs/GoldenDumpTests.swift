// Proves that the stores and dumps that earlier versions wrote have the same records today.

import Foundation
import Testing

@Suite struct `A dump of an earlier version` {
    private static let versions = ["0.5", "0.9"]

    private static func file(_ name: String, _ version: String) -> String {
        var golden = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { golden.deleteLastPathComponent() }
        return golden.appending(path: "Golden/format-\(version)/\(name)").path
    }

    @Test(arguments: versions)
    func `is equal to the dump of its store today`(version: String) throws {
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: Self.file("data.mdb", version), toPath: store + "/data.mdb")
        // The tool requires one, and an empty one says nothing.
        try Data().write(to: URL(fileURLWithPath: store + "/guard.lock"))
        let dump = try Tool.run("dump", store)
        #expect(dump.status == 0, "\(dump.errorOutput)")
        #expect(dump.output == [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.file("dump.jsonl", version)))))
        #expect(try Tool.run("verify", store).text == "OK\n")
    }

    @Test(arguments: versions)
    func `is loaded into a store with the same dump`(version: String) throws {
        let directory = TemporaryDirectory()
        let (file, store) = (Self.file("dump.jsonl", version), directory.path + "/store")
        let loaded = try Tool.run("load", file, store)
        #expect(loaded.status == 0, "\(loaded.errorOutput)")
        #expect(try Tool.run("dump", store).output == [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(try Tool.run("verify", store).text == "OK\n")
    }
}
