import ArgumentParser
import Foundation
import LarderSimulator
import LarderTesting

/// Runs simulated histories of a client and its server, and reports those that violate a guarantee.
@main
struct Simulate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "larder-simulate",
        abstract: "Plays simulated histories of clients, servers and networks, one for each seed.",
        discussion: """
            A history that breaks a promise is printed with its last steps, made shorter, and printed again. The exit \
            code is then 1.
            """)

    @Option(help: "The seeds, as FIRST..<LAST.")
    var seeds = SeedRange(0..<1000)

    @Option(help: "Runs this seed only.")
    var seed: UInt64?

    @Flag(help: "Runs histories of paged lists; with --seeds or --seed.")
    var lists = false

    @Option(help: "Processes that play at the same time.")
    var jobs = 1

    @Option(help: "Runs for this many minutes, from the first seed on without end.")
    var soak: Double?

    @Flag(help: "Prints every step; with --seed.")
    var verbose = false

    @Option(help: "Where the stores of the histories lie while they are played.")
    var directory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    @Option(help: "How many histories may be played to make a failing one shorter.")
    var shrink = 400

    @Flag(help: .hidden)
    var worker = false

    func validate() throws {
        guard jobs > 0 else { throw ValidationError("--jobs is at least 1") }
        guard !lists || (soak == nil && jobs == 1) else {
            throw ValidationError("--lists requires --seeds or --seed")
        }
        guard seed == nil || (soak == nil && jobs == 1) else {
            throw ValidationError("--seed cannot be combined with --soak or --jobs")
        }
    }

    func run() async throws {
        if lists {
            let player = ListHistoryRunner(directory: directory, isVerbose: verbose)
            try await player.run(seed.map { $0..<$0 + 1 } ?? seeds.range)
        } else if let seed {
            try HistoryRunner(directory: directory, shrink: shrink, isVerbose: verbose, isWorker: false).run(only: seed)
        } else if jobs == 1 {
            let player = HistoryRunner(directory: directory, shrink: shrink, isVerbose: false, isWorker: worker)
            try player.run(seeds.range, until: soak.map { Date(timeIntervalSinceNow: $0 * 60) })
        } else {
            try WorkerPool(command: self).run()
        }
    }
}

/// A range of seeds as given on a command line.
struct SeedRange: ExpressibleByArgument, CustomStringConvertible {
    let range: Range<UInt64>

    init(_ range: Range<UInt64>) { self.range = range }

    init?(argument: String) {
        let parts = argument.components(separatedBy: "..<")
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first < last else {
            return nil
        }
        range = first..<last
    }

    var description: String { "\(range.lowerBound)..<\(range.upperBound)" }
    var defaultValueDescription: String { description }
}
