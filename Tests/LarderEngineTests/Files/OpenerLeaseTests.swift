// Proves that an opener's lease is held from its first use to the end of its last one, and that only a dead one is
// acquired by others.

import Foundation
import Synchronization
import Testing

@testable import LarderEngine

@Suite struct `An opener's lease` {
    private static let opener = "c0ffee00-1234-4abc-8def-0123456789ab"
    private static let name = "opener-\(opener).lock"
    private let directory = TemporaryDirectory()
    private let files = FileManager.default
    private let lease: OpenerLease

    init() throws {
        try StoreDirectory(path: directory.path).create()
        lease = OpenerLease(of: Self.opener, in: directory.path)
    }

    private var file: String { directory.path + "/" + Self.name }
    private var openers: [String] { OpenerLease.openers(in: directory.path) }

    private func abandoned() throws -> AbandonedLease? { try AbandonedLease(of: Self.opener, in: directory.path) }

    /// Leaves the file as a killed opener does.
    private func leave() throws { try Data("LARDOWN1........".utf8).write(to: URL(fileURLWithPath: file)) }

    @Test func `is held while it is used, and leaves no file`() throws {
        #expect(!files.fileExists(atPath: file) && !lease.isInUse)
        let first = try lease.begin()
        do {
            let second = try lease.begin()
            first.end()
            first.end()
            #expect(lease.isInUse && openers == [Self.opener])
            #expect(try abandoned() == nil)
            #expect(try files.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            withExtendedLifetime(second) {}
        }
        #expect(!files.fileExists(atPath: file) && !lease.isInUse)
        let again = try lease.begin()
        #expect(try abandoned() == nil)
        again.end()
        #expect(openers == [])
    }

    @Test func `of a dead opener is acquired once, and removed`() throws {
        try leave()
        #expect(openers == [Self.opener])
        do {
            let found = try #require(try abandoned())
            #expect(try abandoned() == nil)
            withExtendedLifetime(found) {}
        }
        let found = try #require(try abandoned())
        found.remove()
        #expect(openers == [])
    }

    @Test func `waits for another process that checks it, and fails at the limit`() throws {
        try leave()
        var check = try abandoned()
        let pauses = Mutex(0)
        let stuck = LockWait(
            limit: .seconds(3), now: { .seconds(pauses.withLock { $0 }) }, pause: { _ in pauses.withLock { $0 += 1 } })
        #expect(throws: EngineError.lockedElsewhere(name: Self.name, seconds: 3)) { _ = try lease.begin(stuck) }
        #expect(!lease.isInUse)
        // The check ends, after it has removed the file that it had found.
        check?.remove()
        check = nil
        let use = try lease.begin(stuck)
        #expect(try abandoned() == nil)
        use.end()
    }

    @Test func `is removed with the store, and no other file is`() throws {
        try leave()
        try Environment.open(path: directory.path, options: .small).close()
        try Environment.destroy(path: directory.path, tables: ["one"]) { _, _ in true }
        #expect(!files.fileExists(atPath: directory.path))
        try Environment.open(path: directory.path, options: .small).close()
        #expect(files.createFile(atPath: directory.path + "/opener-mine.lock", contents: nil))
        try Environment.destroy(path: directory.path, tables: ["one"]) { _, _ in true }
        #expect(try files.contentsOfDirectory(atPath: directory.path) == ["opener-mine.lock"])
    }

    @Test func `is recognized by the whole name of its file`() throws {
        for name in ["opener-.lock", "opener-mine.lock", "x" + Self.name, Self.name + "~", Self.name.uppercased()] {
            #expect(files.createFile(atPath: directory.path + "/" + name, contents: nil))
        }
        #expect(openers == [])
    }
}
