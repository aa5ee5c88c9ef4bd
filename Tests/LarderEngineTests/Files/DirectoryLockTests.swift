// Proves that waiting for the directory's lock ends, and that a lock of a removed directory is ignored.
import Foundation
import Synchronization
import Testing

@testable import LarderEngine

@Suite struct `The directory's lock` {
    private let directory = TemporaryDirectory()
    private var store: StoreDirectory { StoreDirectory(path: directory.path) }

    /// Locks the directory as another program would.
    private func hold() throws -> FileDescriptor {
        try store.create()
        let holder = try FileDescriptor(directory.path, O_RDONLY | O_DIRECTORY)
        #expect(try holder.lock(exclusive: true, waits: false))
        return holder
    }

    /// A wait of a minute whose pauses are as long as `pause` says.
    private func wait(_ pause: @escaping @Sendable (_ number: Int) -> Duration) -> (LockWait, count: () -> Int) {
        let state = Mutex((time: Duration.zero, pauses: 0))
        let shared = Shared(state)
        var wait = LockWait(limit: .seconds(60))
        wait.now = { shared.state.withLock { $0.time } }
        wait.pause = { _ in
            let number = shared.state.withLock { state in
                state.pauses += 1
                return state.pauses
            }
            let length = pause(number)
            shared.state.withLock { $0.time += length }
        }
        return (wait, { shared.state.withLock { $0.pauses } })
    }

    private final class Shared: Sendable {
        let state: Mutex<(time: Duration, pauses: Int)>
        init(_ state: consuming Mutex<(time: Duration, pauses: Int)>) { self.state = state }
    }

    @Test func `held by another process ends the wait by the clock, however long the pauses are`() throws {
        let holder = try hold()
        let (wait, count) = wait { _ in .seconds(25) }
        let error = EngineError.lockedElsewhere(name: "the store's directory", seconds: 75)
        #expect(throws: error) { try store.lock(wait) }
        #expect(count() == 3)
        #expect(error.description.contains("the store's directory"))
        withExtendedLifetime(holder) {}
    }

    @Test func `released in time is acquired`() throws {
        let holder = try hold()
        let (wait, count) = wait { number in
            if number == 2 { flock(holder.number, LOCK_UN) }
            return .seconds(25)
        }
        _ = try store.lock(wait)
        #expect(count() == 2)
    }

    @Test func `held by another process fails an open as such`() throws {
        let holder = try hold()
        var options = EnvironmentOptions.small
        options.lockTimeout = .zero
        #expect(throws: EngineError.lockedElsewhere(name: "the store's directory", seconds: 0)) {
            try Environment.open(path: directory.path, options: options)
        }
        withExtendedLifetime(holder) {}
    }

    @Test func `held by another process delays a close and a removal no longer than requested`()
        throws
    {
        var options = EnvironmentOptions.small
        options.lockTimeout = .zero
        let environment = try Environment.open(path: directory.path, options: options)
        let holder = try hold()
        #expect(throws: EngineError.lockedElsewhere(name: "the store's directory", seconds: 0)) {
            try environment.removeAuxiliaryFiles(["words"])
        }
        try environment.close()
        withExtendedLifetime(holder) {}
    }

    @Test func `of a directory that was removed meanwhile is acquired on its replacement`() throws {
        let holder = try hold()
        let path = directory.path
        let (wait, _) = wait { _ in
            // What `destroy` does, and another opener after it.
            #expect(unsafe rmdir(path) == 0)
            #expect(unsafe mkdir(path, 0o700) == 0)
            flock(holder.number, LOCK_UN)
            return .zero
        }
        let lock = try store.lock(wait)
        #expect(try lock.identity().file == FileIdentity.of(path))
        #expect(try FileDescriptor(path, O_RDONLY | O_DIRECTORY).lock(exclusive: true, waits: false) == false)
    }

    @Test func `of a directory that was removed meanwhile is no lock for readers`() throws {
        let holder = try hold()
        let path = directory.path
        let (wait, _) = wait { _ in
            #expect(unsafe rmdir(path) == 0)
            flock(holder.number, LOCK_UN)
            return .zero
        }
        #expect(throws: EngineError.notFound) { try store.lock(wait) }
        _ = try store.lock(creating: true, wait)
    }

    @Test func `is not assumed to be free where the system cannot read the directory`() throws {
        #expect(try FileIdentity.of(directory.path) == nil)
        #expect(throws: EngineError.self) { try FileIdentity.of(directory.path + String(repeating: "x", count: 300)) }
    }
}
