// Proves that an environment announces each commit of another process once it can be read, and none of its own.
import Dispatch
import LarderEngine
import Synchronization
import Testing

/// What could be read of the other process's commit at each announcement.
private final class Announcements: Sendable {
    let values = Mutex<[[UInt8]?]>([])
    private let count = DispatchSemaphore(value: 0)

    func add(_ value: [UInt8]?) {
        values.withLock { $0.append(value) }
        count.signal()
    }

    func wait() { #expect(count.wait(timeout: .now() + 30) == .success) }
}

@Suite struct `Commits of other processes` {
    private let directory = TemporaryDirectory()
    private let announcements = Announcements()

    private func listening() throws -> Environment {
        let environment = try Environment.open(path: directory.path, options: .small)
        let isWatching = try environment.onExternalCommits { [announcements, weak environment] in
            announcements.add(try? environment?.get(Array("key 0".utf8)))
        }
        #expect(isWatching)
        return environment
    }

    private func commitElsewhere() throws { try Probe("commit", directory.path, "1").finish() }

    @Test func `are announced when they can be read, and those of this process are not`() throws {
        let environment = try listening()
        for number in UInt8(0)..<50 { try environment.set([number], [number], durability: .relaxed) }
        try commitElsewhere()
        announcements.wait()
        #expect(announcements.values.withLock { $0 } == [[UInt8](repeating: 0, count: 3000)])
        for number in UInt8(0)..<50 { try environment.set([number], [], durability: .relaxed) }
        try commitElsewhere()
        announcements.wait()
        #expect(announcements.values.withLock { $0.count } == 2)
        try environment.close()
    }

    @Test func `are announced when one of this process came right behind`() throws {
        let environment = try listening()
        let table = environment.table("one")
        let goOn = DispatchSemaphore(value: 0)
        try environment.onWriter { goOn.wait() }
        try commitElsewhere()
        try environment.onWriter {
            try? environment.transact(durability: .relaxed) { try $0.set([1], [1], in: table) }
        }
        goOn.signal()
        announcements.wait()
        try environment.close()
    }

    @Test func `are announced behind transactions of this process that changed nothing`() throws {
        let environment = try listening()
        for _ in 0..<3 { try environment.writeBlocking { _ in } }
        try commitElsewhere()
        announcements.wait()
        try environment.close()
    }
}
