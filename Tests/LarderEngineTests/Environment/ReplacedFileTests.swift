// Proves that a file replaced beneath an open store takes no commits that would be lost (pitfall P17).

import Foundation
import LarderEngine
import Testing

/// Pitfall P17: a file replaced beneath an open store takes commits and loses them.
@Suite struct `A replaced file` {
    @Test func `refuses writes, and a second open, until it is closed and opened again`() throws {
        let directory = TemporaryDirectory()
        let other = TemporaryDirectory()
        let replacement = try Environment.open(path: other.path, options: .small)
        try replacement.set([1], [2])
        try replacement.close()

        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        #expect(unsafe rename(other.path + "/data.mdb", directory.path + "/data.mdb") == 0)
        #expect(throws: EngineError.replaced) { try environment.set([1], [3]) }
        #expect(try environment.get([1]) == [1])
        #expect(throws: EngineError.replaced) { try Environment.open(path: directory.path, options: .small) }
        try environment.close()

        let reopened = try Environment.open(path: directory.path, options: .small)
        #expect(try reopened.get([1]) == [2])
        try reopened.set([1], [4])
        try reopened.close()
    }

    @Test
    func `is refused beside a program that has the old one open, even if the guard that came with it is not locked`()
        throws
    {
        let directory = TemporaryDirectory()
        let other = TemporaryDirectory()
        for path in [directory.path, other.path] { try Environment.open(path: path, options: .small).close() }
        let holder = try Probe("hold-open", directory.path, "126")
        holder.waitUntilReady()
        // A backup has no `lock.mdb`: the holder's would be shared, with commits of two files in it.
        for name in ["/data.mdb", "/guard.lock"] {
            try FileManager.default.copyItem(atPath: other.path + name, toPath: directory.path + name + ".new")
            #expect(unsafe rename(directory.path + name + ".new", directory.path + name) == 0)
        }
        #expect(throws: EngineError.replaced) { try Environment.open(path: directory.path, options: .small) }
        holder.finish()
        try Environment.open(path: directory.path, options: .small).close()
    }

    @Test func `refuses writes when it was removed`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        try FileManager.default.removeItem(atPath: directory.path + "/data.mdb")
        #expect(throws: EngineError.replaced) { try environment.set([1], [1]) }
        try environment.close()
    }
}
