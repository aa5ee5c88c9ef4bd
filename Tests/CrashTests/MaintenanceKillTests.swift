// Proves that a process killed while it creates or compacts a store leaves no store, the old file or the new one.

import CrashWorld
import Foundation
import Larder
import LarderEngine
import LarderStore
import Testing

@Suite(.serialized, .enabled(if: KillShim.path != nil, "needs Linux and a C compiler, cc"))
struct `CrashTests: a process killed during maintenance` {
    @Test(arguments: KillShim.Side.allCases)
    func `leaves no store or an empty one when it was making it`(_ side: KillShim.Side) throws {
        var number = 1
        while true {
            let folder = try TemporaryFolder()
            let child = try ChildProcess(
                ["create", folder.store], environment: KillShim.environment(.files, number, side))
            guard try child.finish().wasKilled else { break }
            let store = try Store.openQuietly(at: folder.store, access: .readWrite)
            try checkWhole(store, "call \(number)")
            #expect(try store.read { try $0.allResources() }.isEmpty)
            try checkRemains(folder.store, "call \(number)")
            try store.close()
            number += 1
        }
        print("crash tests: killed \(side.rawValue) each of \(number - 1) file calls of a creation")
        #expect(number - 1 >= 10)
    }

    @Test(arguments: KillShim.Side.allCases)
    func `leaves the old or the new file when it was compacting`(_ side: KillShim.Side) throws {
        let source = try TemporaryFolder()
        #expect(try ChildProcess(["script", source.store, "0"]).finish().rest.last == .done)
        let original = try Store.openQuietly(at: source.store)
        let expected = try ContentDump(original)
        try original.close()
        var number = 1
        while true {
            let folder = try TemporaryFolder()
            try FileManager.default.copyItem(atPath: source.store, toPath: folder.store)
            let child = try ChildProcess(
                ["compact", folder.store], environment: KillShim.environment(.files, number, side))
            guard try child.finish().wasKilled else { break }
            let store = try Store.openQuietly(at: folder.store)
            try checkWhole(store, "call \(number)")
            #expect(try ContentDump(store) == expected, "call \(number)")
            try checkRemains(folder.store, "call \(number)")
            try store.close()
            // And maintenance is not refused for what a dead one left.
            if number % 8 == 0 {
                _ = try Store.compact(at: folder.store, host: .system())
                let compacted = try Store.openQuietly(at: folder.store)
                #expect(try ContentDump(compacted) == expected, "call \(number)")
                try compacted.close()
            }
            number += 1
        }
        print("crash tests: killed \(side.rawValue) each of \(number - 1) file calls of a compaction")
        #expect(number - 1 >= 10)
    }

    private func checkWhole(_ store: Store, _ place: String) throws {
        var findings: [Finding] = []
        _ = try store.verify { findings.append($0) }
        #expect(findings.isEmpty, "\(place): first \(findings.first?.description ?? "")")
    }

    /// What a dead process was building is not left to fill the disk.
    private func checkRemains(_ path: String, _ place: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(Set(names).isSubset(of: ["data.mdb", "lock.mdb", "guard.lock", "sync.lock"]), "\(place): \(names)")
    }
}
