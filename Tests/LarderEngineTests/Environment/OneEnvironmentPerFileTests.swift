// Proves that a process opens each file once, so that no lock is lost (pitfalls P1 and P2).

import Foundation
import LarderEngine
import Testing

/// Pitfall P1: one file opened twice in a process. Pitfall P2: anybody but liblmdb opening `lock.mdb`.
@Suite struct `One environment per file` {
    @Test func `every path to the file gives the same environment`() throws {
        let directory = TemporaryDirectory()
        let links = TemporaryDirectory()
        let first = try Environment.open(path: directory.path, options: .small)
        let files = FileManager.default
        try files.createDirectory(atPath: links.path, withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: links.path + "/soft", withDestinationPath: directory.path)
        let upwards = String(repeating: "../", count: files.currentDirectoryPath.count)
        let paths = [
            directory.path, directory.path + "/../" + (directory.path as NSString).lastPathComponent,
            links.path + "/soft", upwards + directory.path.dropFirst(),
        ]
        for path in paths {
            #expect(try Environment.open(path: path, options: .small) === first, "\(path)")
        }
        for _ in paths { try first.close() }
        try first.set([1], [1])
        try first.close()
        #expect(throws: EngineError.closed) { try first.close() }
        #expect(throws: EngineError.closed) { try first.get([1]) }
    }

    @Test func `other options are refused while it is open`() throws {
        let directory = TemporaryDirectory()
        let first = try Environment.open(path: directory.path, options: .small)
        #expect(throws: EngineError.openWithOtherOptions) {
            try Environment.open(path: directory.path, options: .init(access: .readOnly, tables: ["one"]))
        }
        try first.close()
    }

    @Test func `a store is found again after the working directory has changed`() throws {
        let directory = TemporaryDirectory()
        let upwards = String(repeating: "../", count: FileManager.default.currentDirectoryPath.count)
        let environment = try Environment.open(path: upwards + directory.path.dropFirst(), options: .small)
        #expect(environment.path.hasPrefix("/"))
        try environment.close()
    }

    @Test func `no operation of the engine drops the lock that marks its readers`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        try environment.set([1], [1])
        let second = try Environment.open(path: directory.path, options: .small)
        #expect(throws: EngineError.openWithOtherOptions) {
            try Environment.open(path: directory.path, options: .growing(from: 1 << 20))
        }
        _ = try environment.info()
        try environment.clearStaleReaders()
        try second.close()
        #expect(try Probe("query-lock", directory.path).finish() == ["held"])
        try environment.close()
        #expect(try Probe("query-lock", directory.path).finish() == ["free"])
    }

    @Test func `liblmdb alone loses its lock when a second open closes`() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let raw = try Probe("raw-twice", directory.path)
        raw.waitUntilReady()
        #expect(try Probe("query-lock", directory.path).finish() == ["free"])
        raw.finish()
    }
}
