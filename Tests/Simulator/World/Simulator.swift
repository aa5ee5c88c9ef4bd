internal import LarderFormat
internal import LarderOutbox
internal import LarderStore
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

/// Plays one history: the coordinator's, the runs' and the copies' step functions over a real store, a model server and a
/// simulated network, all on one thread and in virtual time.
///
/// It is a second shell beside the asynchronous one: every effect is answered by a step that waits in the agenda, so
/// that runs interleave, and a death can strike between any two steps.
final class Simulator {
    /// Steps after which a history is taken to be endless.
    static let stepLimit = 150_000

    let scenario: Scenario
    let path: String
    var server: ModelServer
    var network: SimulatedNetwork
    /// Answers where a shorter history leaves the faults out.
    var faultless = SimulatedNetwork(profile: .quiet)
    var agenda = Agenda()
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

    /// What lives in the process.
    var store: Store?
    var coordinator: CoordinatorMachine?
    var runs: [Int: SimulatedRun] = [:]
    var copies: [Int: SimulatedCopy] = [:]
    /// Whose turn each resource is, and who waits.
    var claims: [ResourceKey: (holder: Int, line: [Int])] = [:]
    /// What copies in line were ordered for.
    var settling: [Int: FullCopyOrder] = [:]
    var slotHolder: Int?
    /// The copy whose turn it is next, until it has tried.
    var slotNext: Int?
    var slotLine: [Int] = []
    var nextNumber = 1
    var isStopping = false
    var processes: UInt64 = 0
    /// When the mail to the coordinator that was sent last arrives.
    var lastMail: Int64 = 0
    var watch = Watch()
    /// What writes, and the part of the server that performs it.
    var writers: Writers
    var desk: WriteDesk

    /// Public resources that a replica which stays behind had no full copy of.
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
        self.path = path
        server = ModelServer(shape: scenario.shape)
        network = SimulatedNetwork(profile: scenario.faults)
        delays = SeededGenerator(seed: scenario.seed ^ 0x5EED)
        trace = HistoryTrace(keeping: lines)
        wanted = scenario.filters
        perPage = scenario.perPage
        writers = Writers(scenario)
        desk = WriteDesk(memory: scenario.delivery.keyMemory)
        for seed in scenario.firstMutations { mutate(seed) }
    }

    var moment: Moment { Moment(elapsed: .milliseconds(now), now: wall) }
    var wall: Int64 { now + wallOffset }

    func note(_ line: @autoclosure () -> String) { trace.note("\(now) \(line())") }

    /// Plays the plan and then the quiet that follows.
    func play() throws {
        try launch()
        for planned in scenario.plan {
            try wait(planned.wait)
            note("* \(planned.act)")
            try perform(planned.act)
            try checkStep()
        }
        try settle()
    }

    /// Lets steps happen until an act is due.
    private func wait(_ wait: PlannedAct.Wait) throws {
        switch wait {
        case .steps(let count):
            for _ in 0..<count {
                // Nothing is under way: acts of this kind do not wait for timers.
                guard let next = agenda.nextTime, next < now + 5_000 else { return }
                try step()
            }
        case .time(let span):
            let due = now + span
            while let next = agenda.nextTime, next <= due { try step() }
            now = max(now, due)
        }
    }

    /// Takes the next step of the agenda.
    func step() throws {
        guard let entry = agenda.popFirst() else { return }
        steps += 1
        if steps > Self.stepLimit { throw Violation(.liveness, "no end after \(steps) steps") }
        now = max(now, entry.time)
        note("\(entry.owner) \(entry.label)")
        switch entry.work {
        case .run(let work): try answer(entry.owner, work)
        case .copy(let work): try answer(entry.owner, work)
        case .other(let work): try work()
        }
        try checkStep()
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
        note("server \(server.sequence): \(mutation)")
    }

}
