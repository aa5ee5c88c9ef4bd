// ServerProcess: a `crash-child serve` that is killed and started again on its port.

#if Server
import CrashWorld
import Foundation
import Testing

/// A `crash-child serve` that is killed and started again on its port.
final class ServerProcess {
    private let path: String
    private var random: SplitMix64
    private var child: ChildProcess?
    private(set) var port = 0
    private(set) var kills = 0
    /// How many answers were given again: each one is a write that would have been applied twice.
    private(set) var replays = 0

    /// Whether it was started since it was killed.
    var isRunning: Bool { child != nil }

    init(at path: String, seed: UInt64) throws {
        self.path = path
        random = SplitMix64(seed: seed)
        try start()
    }

    deinit { child?.kill() }

    /// Starts it and waits until it listens.
    func start() throws {
        let child = try ChildProcess(["serve", path, "\(port)", "\(random.next() >> 1)"])
        self.child = child
        let line = try child.nextLine(until: .now + .seconds(30))
        let words = (line ?? "nothing").split(separator: " ")
        guard words.count == 2, words[0] == "listening", let port = Int(words[1]) else {
            throw UnknownLine(line: line ?? "the server does not listen")
        }
        self.port = port
    }

    /// Kills it, whatever it is doing.
    func kill() throws {
        guard let child = child.take() else { return }
        child.kill()
        let (lines, wasKilled) = try child.finishLines()
        replays += lines.count { $0 == "replayed" }
        #expect(wasKilled, "the server ended by itself")
        kills += 1
    }
}
#endif
