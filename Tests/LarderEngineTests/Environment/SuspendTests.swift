// Proves that a suspended environment leaves its file to others, and is opened again by its next use, whatever that is.

import Foundation
import Synchronization
import Testing

@testable import LarderEngine

@Suite(.timeLimit(.minutes(5))) struct `A suspended environment` {
    private let directory = TemporaryDirectory()

    private func open() throws -> Environment { try Environment.open(path: directory.path, options: .small) }

    private func suspend(_ environment: Environment, within milliseconds: Int? = nil) throws {
        try environment.suspend(within: milliseconds) { _, _ in true }
    }

    @Test func `leaves the file to other processes, and is opened by the next read or write`() throws {
        let environment = try open()
        try environment.set([1], [1])
        try suspend(environment)
        #expect(environment.isSuspended)
        try suspend(environment)
        // Another process has the file to itself.
        try Probe("commit", directory.path, "1").finish()
        #expect(try environment.get(Array("key 0".utf8)) == [UInt8](repeating: 0, count: 3000))
        #expect(!environment.isSuspended)
        try suspend(environment)
        try environment.set([2], [2])
        #expect(!environment.isSuspended)
        try suspend(environment)
        #expect(try environment.info().lastCommit > 0)
        #expect(try environment.contents().count == 3)
        try environment.close()
    }

    @Test func `that only reads is opened by the next read`() throws {
        var environment = try open()
        try environment.set([1], [1])
        try environment.close()
        var options = EnvironmentOptions.small
        options.access = .readOnly
        environment = try Environment.open(path: directory.path, options: options)
        try suspend(environment)
        try Probe("commit", directory.path, "1").finish()
        #expect(try environment.contents().count == 2)
        try environment.close()
    }

    @Test func `finds each table under the identifier that it had`() throws {
        try Environment.open(
            path: directory.path, options: EnvironmentOptions(tables: ["two"], mapSize: 1 << 30, mapSizeCap: 1 << 30)
        ).close()
        // The table that was missing is created behind the other one.
        let environment = try open()
        #expect(environment.table("two").identifier < environment.table("one").identifier)
        try environment.set([1], [1], in: "one")
        try environment.set([2], [2], in: "two")
        try suspend(environment)
        #expect(try environment.get([1], in: "one") == [1] && environment.get([2], in: "two") == [2])
        try suspend(environment)
        try environment.set([3], [3], in: "one")
        #expect(try environment.contents(of: "one").count == 2 && environment.contents(of: "two").count == 1)
        try environment.close()
    }

    @Test func `again and again disturbs no use of it`() throws {
        let environment = try open()
        let unexpected = Mutex<[String]>([])
        onThreads(6) { thread in
            do {
                for round in 0..<40 {
                    switch thread {
                    case 0: try environment.suspend(within: 10_000) { _, _ in true }
                    case 1, 2: try environment.set([UInt8(thread), UInt8(round)], [1], durability: .relaxed)
                    case 3: _ = try environment.info()
                    default:
                        let rows = try environment.read { view in
                            let outer = try view.contents(of: environment.table("one"))
                            let inner = try environment.contents()
                            return (outer, inner)
                        }
                        if rows.0 != rows.1 { unexpected.withLock { $0.append("a nested read shows other rows") } }
                    }
                }
            } catch {
                unexpected.withLock { $0.append("\(error)") }
            }
        }
        #expect(unexpected.withLock { $0 } == [])
        #expect(try environment.contents().count == 80)
        #expect(try environment.pageProblems() == [])
        try environment.close()
    }

    @Test func `waits for reads under way, up to its limit`() throws {
        let environment = try open()
        try environment.set([1], [1])
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            try? environment.read { _ in
                began.signal()
                mayEnd.wait()
            }
            ended.signal()
        }
        began.wait()
        #expect(throws: EngineError.busy) { try suspend(environment, within: 10) }
        #expect(!environment.isSuspended)
        #expect(try environment.get([1]) == [1])
        mayEnd.signal()
        ended.wait()
        try suspend(environment)
        #expect(environment.isSuspended)
        try environment.close()
    }

    @Test func `keeps background work until something else uses it`() throws {
        let environment = try open()
        try suspend(environment)
        let (background, behind) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try environment.onWriterInBackground { background.signal() }
        try environment.onWriter(isBulk: true) { behind.signal() }
        behind.wait()
        #expect(environment.isSuspended)
        #expect(background.wait(timeout: .now()) == .timedOut)
        try environment.set([1], [1])
        #expect(background.wait(timeout: .now() + 30) == .success)
        try suspend(environment)
        try environment.onWriterInBackground { background.signal() }
        try environment.close()
        #expect(background.wait(timeout: .now()) == .timedOut)
    }

    @Test func `announces commits of other processes when it is open again`() throws {
        let environment = try open()
        let announced = DispatchSemaphore(value: 0)
        #expect(try environment.onExternalCommits { announced.signal() })
        try suspend(environment)
        // A write that is reported while the environment is suspended is not announced, so none is reported here.
        environment.externalCommits.withLock { $0.watch?.cancel() }
        try Probe("commit", directory.path, "1").finish()
        #expect(environment.isSuspended)
        #expect(try environment.contents().count == 1)
        #expect(announced.wait(timeout: .now() + 30) == .success)
        try environment.close()
    }

    @Test func `refuses a file that was replaced, until it is closed`() throws {
        let other = TemporaryDirectory()
        let replacement = try Environment.open(path: other.path, options: .small)
        try replacement.set([1], [2])
        try replacement.close()

        let environment = try open()
        try environment.set([1], [1])
        try suspend(environment)
        #expect(unsafe rename(other.path + "/data.mdb", directory.path + "/data.mdb") == 0)
        #expect(throws: EngineError.replaced) { try environment.get([1]) }
        #expect(throws: EngineError.replaced) { try environment.set([1], [3]) }
        #expect(environment.isSuspended)
        try environment.close()
        #expect(throws: EngineError.closed) { try environment.get([1]) }

        let reopened = try open()
        #expect(try reopened.get([1]) == [2])
        try reopened.close()
    }

    @Test func `refuses a file that is no longer accepted`() throws {
        let environment = try open()
        try environment.set([1], [1])
        try environment.suspend { _, _ in false }
        #expect(throws: EngineError.replaced) { try environment.get([1]) }
        #expect(throws: EngineError.replaced) { try environment.set([1], [3]) }
        #expect(environment.isSuspended)
        try environment.close()
    }

    @Test func `is closed, and shared by a second open, like any other`() throws {
        let environment = try open()
        try environment.set([1], [1])
        try suspend(environment)
        let second = try open()
        #expect(second === environment && environment.isSuspended)
        #expect(try second.get([1]) == [1])
        try second.close()
        try suspend(environment)
        try environment.close()
        #expect(throws: EngineError.closed) { try suspend(environment) }
        let reopened = try open()
        #expect(try reopened.get([1]) == [1])
        try reopened.close()
    }
}
