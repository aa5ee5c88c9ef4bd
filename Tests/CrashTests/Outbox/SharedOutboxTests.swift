// Proves that of two processes with one outbox one sends, and the other takes over when it is killed: each write once.
#if Server
import CrashWorld
import Foundation
import LarderServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(20))) struct `CrashTests: two processes with one outbox` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `send each write once, and the second goes on when the first is killed`() throws {
        let server = try ServerProcess(at: folder.path + "/server", seed: 7)
        let first = try ChildProcess(["share", folder.store, "\(server.port)", "0", "300"])
        var lines: [String] = []
        try wait(for: "delivers", of: first, &lines)
        let second = try ChildProcess(["share", folder.store, "\(server.port)", "1000", "300"])
        try wait(for: "other \(first.processID)", of: second, &lines)
        // What one enqueues the other sends.
        try wait(for: "delivered 1000", of: second, &lines)
        first.kill()
        let (rest, wasKilled) = try first.finishLines()
        #expect(wasKilled)
        lines += rest
        try wait(for: "delivers", of: second, &lines)
        try wait(for: "empty", of: second, &lines)
        second.kill()
        _ = try second.finishLines()
        try server.kill()
        let store = try AppliedWrites.open(at: folder.path + "/server")
        let applied = try AppliedWrites.read(from: store)
        try store.close()
        let acknowledged = Set(lines.compactMap { $0.hasPrefix("enqueued ") ? Int($0.dropFirst(9)) : nil })
        #expect(applied.count == Set(applied).count, "no write is applied twice")
        #expect(acknowledged.isSubset(of: applied.map(\.number)))
        #expect(Set(1000..<1300).isSubset(of: applied.map(\.number)))
        // Only what was under way when the first was killed, four at a time, may be asked for again.
        #expect(server.replays <= 8, "\(server.replays) answers were given again")
    }

    /// The commit of another process names no lane, and the sender has none of its own that would make it look.
    @Test func `send what only the other enqueues`() throws {
        let server = try ServerProcess(at: folder.path + "/server", seed: 8)
        let sender = try ChildProcess(["share", folder.store, "\(server.port)", "0", "0"])
        var lines: [String] = []
        try wait(for: "delivers", of: sender, &lines)
        let writer = try ChildProcess(["share", folder.store, "\(server.port)", "1000", "5"])
        try wait(for: "empty", of: writer, &lines)
        #expect(lines.filter { $0 == "delivers" }.count == 1)
        for child in [sender, writer] {
            child.kill()
            _ = try child.finishLines()
        }
        try server.kill()
    }

    private func wait(for line: String, of child: ChildProcess, _ lines: inout [String]) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while let received = try child.nextLine(until: deadline) {
            lines.append(received)
            if received == line { return }
        }
        child.kill()
        _ = try child.finishLines()
        throw UnknownLine(line: "a process never said \(line), but \(lines.suffix(5))")
    }
}
#endif
