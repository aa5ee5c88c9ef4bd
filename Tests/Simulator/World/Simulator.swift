// Simulator: runs one history of the shipped coordinator over a real store, a model server and a simulated network.

internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

/// Plays one history: the shipped coordinator, with its runs and snapshots, over a real store, a model server and a
/// simulated network, in virtual time.
///
/// Every job of a task, every commit and every answer of the network is a step. Which one is next follows from the seed, and
/// a death can strike between any two.
final class Simulator: @unchecked Sendable {
    // Sendable: everything is touched on the one thread that plays the history, on which its executor runs all jobs.
    /// Steps after which a history is taken to be endless.
    static let stepLimit = 1_000_000
    /// The jobs and answers that a plan counts as one step.
    private static let jobsPerStep = 6

    let scenario: Scenario
    /// The directory of the store: a new one after each death.
    var path: String { "\(home)/\(generation)" }
    let home: String
    var generation = 0
    let executor: SeededExecutor
    var server: ModelServer
    var network: SimulatedNetwork
    /// Answers where a shorter history leaves the faults out.
    var faultless = SimulatedNetwork(profile: .quiet)
    var agenda = EventQueue()
    var delays: SeededGenerator
    var trace: HistoryTrace
    var checker = Checker()
    /// Virtual time in milliseconds, and what the wall clock is ahead of it.
    var now: Int64 = 0
    var wallOffset: Int64 = 1_790_000_000_000
    var steps = 0

    /// What the host sees, alive or not.
    var link = NetworkState.online
    var linkNumber = 0
    var hasPortal = false
    var power = PowerState.normal
    var isForcedOffline = false
    var wanted: [(filter: ResourceFilter, priority: SyncPriority)]
    var perPage: Int

    /// The process, while one runs, and what is to be gone of the last.
    var process: SimulatedProcess?
    var killedProcess: KilledProcess?
    /// The tasks that wait for a point in time, by the number of the step that wakes them.
    var pauses: [Int: Pause] = [:]
    var disk: Disk
    /// Whether the next commit is in the agenda.
    var isCommitPlanned = false
    /// A promise that was found broken where nothing can be thrown.
    var broken: Violation?
    var identifiers: SeededGenerator
    var processes: UInt64 = 0
    var answered = ServerResponses()
    /// Whether everybody has known for a while that nothing may run.
    var isHeldBack = false
    /// How often in a row each request was answered out of date, or not at all.
    var oldAnswers: [String: Int] = [:]
    var watch = CoordinatorObservations()
    var leftAlone: [EventQueue.Side: RequestedWait] = [:]
    /// What writes, and the part of the server that performs it.
    var writers: WriteLog
    var writeEndpoint: WriteEndpoint

    /// Public resources that a replica which stays behind had no snapshot of.
    var hiddenByLag: Set<ResourceKey> = []
    /// Whether nothing goes wrong any more.
    var isQuiet = false
    /// Whether nothing is written any more either.
    var isLastQuiet = false
    var exchanges: [String: Int] = [:]
    /// The exchanges in which something went wrong, in their order.
    var faulty: [String] = []

    init(_ scenario: Scenario, path: String, keeping lines: Int) {
        self.scenario = scenario
        home = path
        executor = SeededExecutor(seed: scenario.seed ^ 0x6A_6F_62_73)
        identifiers = SeededGenerator(seed: scenario.seed ^ 0x69_64)
        server = ModelServer(shape: scenario.shape)
        network = SimulatedNetwork(profile: scenario.faults)
        delays = SeededGenerator(seed: scenario.seed ^ 0x5EED)
        trace = HistoryTrace(keeping: lines)
        wanted = scenario.filters
        perPage = scenario.perPage
        disk = Disk(scenario)
        writers = WriteLog(scenario)
        writeEndpoint = WriteEndpoint(memory: scenario.delivery.keyMemory)
        for seed in scenario.firstMutations { mutate(seed) }
    }

    var reading: ClockReading { ClockReading(elapsed: .milliseconds(now), now: wall) }
    var wall: Int64 { now + wallOffset }

    func log(_ line: @autoclosure () -> String) { trace.append("\(now) \(line())") }

    var store: Store? { process?.store }
    var isStopping: Bool { process?.isStopping ?? false }

    /// Plays the plan and then the quiet that follows.
    func run() throws {
        try launch()
        for planned in scenario.plan {
            try wait(planned.wait)
            log("* \(planned.act)")
            try perform(planned.act)
            try finishStep()
        }
        try runUntilConverged()
    }

    /// Lets steps happen until an act is due.
    private func wait(_ wait: PlannedAct.Wait) throws {
        switch wait {
        case .steps(let count):
            for _ in 0..<count * Self.jobsPerStep {
                // Nothing is under way: acts of this kind do not wait for timers.
                guard let next = nextTime, next < now + 5_000 else { return }
                try step()
            }
        case .time(let span):
            let due = now + span
            while let next = nextTime, next <= due { try step() }
            now = max(now, due)
        }
    }

    /// When the next step is due.
    var nextTime: Int64? { executor.isIdle ? agenda.nextTime : now }

    /// Runs a job, or takes the next step of the agenda when none is ready.
    func step() throws {
        steps += 1
        if steps > Self.stepLimit { throw Violation(.liveness, "no end after \(steps) steps") }
        if !executor.runNext() {
            guard let entry = agenda.popFirst() else { return }
            now = max(now, entry.time)
            log("\(entry.owner) \(entry.label)")
            try entry.work()
        }
        try finishStep()
    }

    private func finishStep() throws {
        if let broken { throw broken }
        if !isCommitPlanned, store?.hasWrites == true {
            isCommitPlanned = true
            agenda.add(at: now + delay(), .commit, "commits") { [unowned self] in
                isCommitPlanned = false
                try commitNext()
            }
        }
        try checkStep()
    }

    /// Keeps a broken promise for the end of the step.
    func recordingViolation(_ check: () throws -> Void) {
        do {
            try check()
        } catch {
            broken = broken ?? error as? Violation ?? Violation(.store, "\(error)")
        }
    }

    /// Receives the events of the runs.
    func handle(_ event: SyncEvent) {
        log("event \(Self.label(of: event))")
        if case .intercepted = event { recordingViolation { try recordRunning() } }
        watch.handle(event, isQuiet: isLastQuiet)
        switch event {
        case .began(let text, _) where isHeldBack:
            broken = broken ?? Violation(.conditions, "a run of \(text) begins without leave")
        case .failed(_, let reason, _) where reason.hasPrefix("The store failed:") && !disk.hasFailed:
            broken = broken ?? Violation(.store, reason)
        case .resourceFailed(let failure) where failure.reason.hasPrefix("The store failed:") && !disk.hasFailed:
            broken = broken ?? Violation(.store, failure.reason)
        default: break
        }
    }

    /// A short time, now and then a long one, in milliseconds.
    func delay() -> Int64 {
        let number = delays.below(64)
        return number < 48 ? Int64(number & 3) : Int64(delays.below(number < 62 ? 20 : 300))
    }

    func mutate(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let mutation = server.nextMutation(using: &generator)
        // What the server had taken of writes would be gone.
        if case .restore = mutation, scenario.hasWriters { return }
        server.apply(mutation)
        log("server \(server.sequence): \(mutation)")
    }

    static func label(of event: SyncEvent) -> String {
        switch event {
        case .began(let filter, let kind): "began \(filter) \(kind.rawValue)"
        case .tokenRejected(let filter): "token rejected \(filter)"
        case .page(let number, let mutations): "page \(number): \(mutations) changes"
        case .snapshot(let resource, let rows, _, _): "snapshot \(resource): \(rows) rows"
        case .swapped(let resource, let rows, _, _): "swapped \(resource): \(rows) rows"
        case .lagging(let resource): "lagging \(resource)"
        case .resourceFailed(let failure): "failed \(failure.resource), \(failure.attempts): \(failure.reason)"
        case .hidden(let resource): "hidden \(resource)"
        case .swept(let resource): "swept \(resource)"
        case .finished(let report): "finished \(report.filter) until \(report.untilSequence)"
        case .failed(let filter, let reason, let retryIn): "failed \(filter): \(reason) again in \(retryIn)"
        case .slowed(let filter, let rejections, _): "slowed \(filter) after \(rejections)"
        case .overdue(let filter): "overdue \(filter)"
        case .intercepted: "intercepted"
        default: "event"
        }
    }
}
