// Proves that a brief check of an owner's lock is not mistaken for an owner, and that an owner is recognized.
import Foundation
import Testing

@testable import LarderEngine

@Suite struct `An owner's lock` {
    private static let name = "outbox.lock"
    private let directory = TemporaryDirectory()

    /// Locks the file as another process does.
    private func hold(exclusive: Bool) throws -> FileDescriptor {
        try StoreDirectory(path: directory.path).create()
        let file = try FileDescriptor(directory.path + "/" + Self.name, O_RDWR | O_CREAT)
        #expect(try file.lock(exclusive: exclusive, waits: false))
        return file
    }

    @Test func `is acquired when a check ends in time`() throws {
        let check = try hold(exclusive: false)
        var pauses = 0
        let lock = try OwnerLock.acquire(Self.name, in: directory.path) { _ in
            pauses += 1
            if pauses == 2 { flock(check.number, LOCK_UN) }
        }
        #expect(lock != nil && pauses == 2)
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(try OwnerLock.holder(of: Self.name, in: directory.path) == .process(process))
    }

    @Test func `is refused at once beside an owner`() throws {
        let owner = try hold(exclusive: true)
        var pauses = 0
        #expect(try OwnerLock.acquire(Self.name, in: directory.path) { _ in pauses += 1 } == nil)
        #expect(pauses == 0)
        withExtendedLifetime(owner) {}
    }

    /// A program that the process is starting shares its open files until it runs, as a duplicate does.
    @Test func `is free once its owner is gone, while a program is being started`() throws {
        try StoreDirectory(path: directory.path).create()
        var lock = try OwnerLock.acquire(Self.name, in: directory.path)
        let shared = dup(try #require(lock).file.number)
        defer { close(shared) }
        #expect(try OwnerLock.acquire(Self.name, in: directory.path) == nil)
        lock = nil
        #expect(try OwnerLock.acquire(Self.name, in: directory.path) != nil)
    }

    @Test func `is abandoned after some milliseconds where checks never end`() throws {
        let check = try hold(exclusive: false)
        var waited = Duration.zero
        #expect(try OwnerLock.acquire(Self.name, in: directory.path) { waited += $0 } == nil)
        #expect(waited > .milliseconds(5) && waited < .milliseconds(20))
        withExtendedLifetime(check) {}
    }
}
