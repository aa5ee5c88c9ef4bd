// Proves that a lock file removed or replaced beside programs that have the store open costs no acknowledged commit.
import Foundation
import LarderEngine
import Testing

@Suite struct `A lock file` {
    let directory = TemporaryDirectory()
    var files: FileManager { .default }

    private func holding(_ work: (Probe) throws -> Void) throws {
        try Environment.open(path: directory.path, options: .small).close()
        let holder = try Probe("hold-open", directory.path, "126")
        holder.waitUntilReady()
        try work(holder)
        holder.finish()
    }

    @Test(arguments: [EnvironmentOptions.Access.readOnly, .readWrite])
    func `of LMDB that was replaced beside a holder is refused`(access: EnvironmentOptions.Access) throws {
        let path = directory.path + "/lock.mdb"
        let options = EnvironmentOptions(access: access, tables: ["one", "two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        try holding { _ in
            try files.copyItem(atPath: path, toPath: path + ".new")
            #expect(unsafe rename(path + ".new", path) == 0)
            #expect(throws: EngineError.lockFileRemoved) {
                try Environment.open(path: directory.path, options: options)
            }
        }
        try Environment.open(path: directory.path, options: options).close()
    }

    @Test func `of the guard that was removed beside a holder hides it from no maintenance`() throws {
        try holding { _ in
            try files.removeItem(atPath: directory.path + "/guard.lock")
            #expect(throws: EngineError.heldByOthers) {
                try Environment.destroy(path: directory.path, tables: []) { _, _ in true }
            }
            for _ in 0..<2 {
                let environment = try Environment.open(path: directory.path, options: .small)
                #expect(!environment.wasOpenedAlone)
                try environment.close()
                // Bit 0 of the flags: a clean close was noted, with a copy of pages that the holder goes on to change.
                let record = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/guard.lock"))
                #expect(record[12] & 1 == 0)
            }
            #expect(throws: EngineError.heldByOthers) {
                try Environment.compact(path: directory.path, tables: ["one", "two"], verify: { _ in })
            }
            #expect(throws: EngineError.heldByOthers) {
                try Environment.destroy(path: directory.path, tables: []) { _, _ in true }
            }
        }
        let environment = try Environment.open(path: directory.path, options: .small)
        #expect(environment.wasOpenedAlone)
        try environment.close()
    }
}
