// Scenario: everything that a seed determines in advance.

internal import LarderOutbox
internal import LarderSync
internal import LarderTesting
internal import LarderTransport

/// All that a seed decides of a history in advance.
package struct Scenario: Sendable {
    /// The seed.
    package let seed: UInt64
    let shape: ModelServer.Shape
    let faults: FaultProfile
    let policy: SyncPolicy
    let hasProbe: Bool
    let perPage: Int
    /// Whether somebody writes, and how that is delivered.
    let hasWriters: Bool
    let delivery: OutboxPolicy
    /// Whether a session says whose writes are sent.
    let hasSession: Bool
    /// Whether conflicts are resolved, one way or another, rather than rejected.
    let hasResolver: Bool
    let concurrentSnapshots: Int
    let snapshotAttempts: Int
    /// Whether a replica that has no snapshot yet may lack it for as long as it is asked.
    let hasStaleReplica: Bool
    /// Changes of the server before anything else.
    let firstMutations: [UInt64]
    let filters: [(filter: ResourceFilter, priority: SyncPriority)]
    /// What happens, in its order.
    package var plan: [PlannedAct]
    /// The exchanges in which something may go wrong, by target and count; nil for all.
    package var faulty: Set<String>?

    /// The scenario of a seed.
    package init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        shape = Self.shape(&generator)
        faults = FaultProfile(using: &generator)
        policy = Self.policy(&generator)
        hasProbe = generator.below(4) > 0
        perPage = 1 + generator.below(5)
        concurrentSnapshots = 1 + generator.below(3)
        snapshotAttempts = 1 + generator.below(3)
        firstMutations = (0..<(3 + generator.below(20))).map { _ in generator.next() }
        var draw = ActDraw(shape: shape, using: &generator)
        filters = draw.firstFilters()
        plan = (0..<(8 + generator.below(48))).map { _ in draw.next() }
        var writes = SeededGenerator(seed: seed ^ 0x77_72_69_74_65)
        hasWriters = writes.below(2) == 0
        delivery = Self.delivery(&writes)
        if hasWriters { plan = Self.mixInActs(plan, &writes, Self.drawWriting) }
        var sessions = SeededGenerator(seed: seed ^ 0x73_65_73_73)
        hasSession = hasWriters && sessions.below(3) == 0
        if hasSession { plan = Self.mixInActs(plan, &sessions, Self.drawSession) }
        var breakages = SeededGenerator(seed: seed ^ 0x62_72_65_61_6B)
        // What hides a resource for no reason of the server's hides the writes to it, too.
        hasStaleReplica = !hasWriters && breakages.below(2) == 0
        var more = SeededGenerator(seed: seed ^ 0x6D_6F_72_65)
        if breakages.below(3) == 0 { plan = Self.breaking(plan, shape, &breakages, &more) }
        var changes = SeededGenerator(seed: seed ^ 0x65_64_69_74)
        hasResolver = hasWriters && changes.below(2) == 0
        if hasWriters, changes.below(2) == 0 {
            plan = Self.mixInActs(plan, &changes) { generator in
                switch generator.below(10) {
                case 0: .edit(seed: generator.next())
                case 1: .rewrite(seed: generator.next())
                default: nil
                }
            }
        }
        if changes.below(3) == 0 {
            plan = Self.mixInActs(plan, &changes) { [shape] generator in
                let group = generator.pick(shape.groups) ?? "notes"
                let id = Int64(1 + generator.below(shape.resourcesPerGroup))
                return switch generator.below(12) {
                case 0: .evict(group: group, id: id)
                case 1: .keep(group: group, id: id)
                default: nil
                }
            }
        }
    }

    /// Puts acts between those of a plan.
    private static func mixInActs(
        _ plan: [PlannedAct], _ generator: inout SeededGenerator, _ draw: (inout SeededGenerator) -> HostAct?
    ) -> [PlannedAct] {
        plan.flatMap { planned in
            let act = draw(&generator)
            return [planned] + (act.map { [PlannedAct(wait: .steps(generator.below(8)), act: $0)] } ?? [])
        }
    }

    /// Puts a stretch into a plan in which some snapshots cannot be had; it may last until everything else has come in.
    ///
    /// - Parameters:
    ///   - generator: draws one that cannot be had, and for how long.
    ///   - more: draws answers of others than the server, and further snapshots that cannot be had either.
    private static func breaking(
        _ plan: [PlannedAct], _ shape: ModelServer.Shape, _ generator: inout SeededGenerator,
        _ more: inout SeededGenerator
    ) -> [PlannedAct] {
        var plan = plan
        let start = generator.below(plan.count)
        var status = [500, 500, 403, 200][generator.below(4)]
        if more.below(3) == 0 { status = [302, 401, 429][more.below(3)] }
        let act = HostAct.failSnapshot(
            group: generator.pick(shape.groups) ?? "notes", id: Int64(1 + generator.below(shape.resourcesPerGroup)),
            status: status)
        if more.below(2) == 0 {
            for group in shape.groups {
                for id in 1...shape.resourcesPerGroup where more.below(6) > 0 {
                    let act = HostAct.failSnapshot(group: group, id: Int64(id), status: status)
                    plan.insert(PlannedAct(wait: .steps(0), act: act), at: start)
                }
            }
        }
        plan.insert(PlannedAct(wait: .steps(generator.below(8)), act: act), at: start)
        if generator.below(2) == 0 {
            let end = start + 1 + generator.below(plan.count - start)
            plan.insert(PlannedAct(wait: .steps(generator.below(8)), act: .restoreSnapshots), at: end)
        }
        return plan
    }

    /// A write, or what only writes notice.
    private static func drawWriting(_ generator: inout SeededGenerator) -> HostAct? {
        switch generator.below(100) {
        case ..<40: .write(seed: generator.next())
        case ..<43: .expire
        case ..<46: .retryWrites
        case ..<49: .outage(Int64([20, 600, 8000][generator.below(3)]), isAnnounced: generator.below(2) == 0)
        default: nil
        }
    }

    private static func drawSession(_ generator: inout SeededGenerator) -> HostAct? {
        switch generator.below(12) {
        case 0: .signOut(seals: generator.below(3) > 0)
        case 1, 2: generator.pick(WriteLog.accounts).map { .signIn($0) }
        default: nil
        }
    }

    private static func delivery(_ generator: inout SeededGenerator) -> OutboxPolicy {
        var policy = OutboxPolicy()
        policy.concurrentSends = 1 + generator.below(4)
        policy.mostAttempts = 2 + generator.below(4)
        policy.keyMemory = .seconds([600, 7200, 86_400][generator.below(3)])
        if generator.below(3) == 0 { policy.batch = BatchPolicy(mostEntries: 2 + generator.below(3)) }
        return policy
    }

    private static func shape(_ generator: inout SeededGenerator) -> ModelServer.Shape {
        let groups = [["translations"], ["notes"], ["recitations", "translations"], ["notes", "translations"]]
        let ahead: [ModelServer.TokenAhead] = [.unavailable, .refused, .answered]
        return ModelServer.Shape(
            groups: groups[generator.below(groups.count)], resourcesPerGroup: 2 + generator.below(2),
            rowsPerType: 1 + generator.below(4), logLimit: 10 + generator.below(150),
            tokenAhead: ahead[generator.below(3)])
    }

    private static func policy(_ generator: inout SeededGenerator) -> SyncPolicy {
        var policy = SyncPolicy()
        policy.refreshInterval = [nil, .seconds(60), .seconds(900)][generator.below(3)]
        policy.minimumAge = .seconds([0, 10, 60][generator.below(3)])
        policy.concurrentRuns = 1 + generator.below(3)
        policy.resyncsBeforeSlow = 1 + generator.below(4)
        return policy
    }
}

/// Draws what happens in a history.
struct ActDraw {
    private let shape: ModelServer.Shape
    private var generator: SeededGenerator

    init(shape: ModelServer.Shape, using generator: inout SeededGenerator) {
        self.shape = shape
        self.generator = generator.split()
    }

    mutating func firstFilters() -> [(filter: ResourceFilter, priority: SyncPriority)] {
        var found: [(filter: ResourceFilter, priority: SyncPriority)] = []
        for _ in 0..<(1 + generator.below(4)) {
            let filter = filter()
            if !found.contains(where: { $0.filter == filter }) { found.append((filter, priority())) }
        }
        return found
    }

    mutating func next() -> PlannedAct { PlannedAct(wait: wait(), act: act()) }

    private mutating func wait() -> PlannedAct.Wait {
        switch generator.below(100) {
        case ..<62: .steps(generator.below(14))
        case ..<90: .time(Int64(generator.below(600)))
        case ..<97: .time(Int64(generator.below(60_000)))
        default: .time(Int64(generator.below(3 * 3_600_000)))
        }
    }

    private mutating func act() -> HostAct {
        switch generator.below(100) {
        case ..<40: .mutate(seed: generator.next())
        case ..<52: .push(generator.below(2) == 0 ? nil : filter())
        case ..<56: .foreground
        case ..<61: .manual(generator.below(3) == 0 ? filter() : nil)
        case ..<65: .open(group: group(), id: Int64(1 + generator.below(shape.resourcesPerGroup)))
        case ..<76: .network(network())
        case ..<78: .portal(generator.below(3) == 0)
        case ..<80: .power([.normal, .normal, .saver, .critical][generator.below(4)])
        case ..<83: .forcedOffline(generator.below(3) == 0)
        case ..<85: .signedIn
        case ..<88: .add(filter(), priority())
        case ..<91: .remove(filter())
        case ..<96: .kill(perPage: 1 + generator.below(5))
        case ..<98: .restart
        case ..<99: .strayTimer
        default: .setClock([-3_600_000, 86_400_000, 8 * 86_400_000, 1_000, -5][generator.below(5)])
        }
    }

    private mutating func network() -> NetworkState {
        switch generator.below(10) {
        case ..<6: .online
        case 6: .metered
        case 7: .constrained
        default: .offline
        }
    }

    private mutating func priority() -> SyncPriority {
        [.normal, .normal, .high, .low][generator.below(4)]
    }

    private mutating func group() -> String { generator.pick(shape.groups) ?? "notes" }

    /// A filter over one or all groups, of few enough that they meet again and overlap.
    private mutating func filter() -> ResourceFilter {
        let groups = shape.groups.count == 2 && generator.below(3) == 0 ? shape.groups : [group()]
        let text = groups.map { group in
            if generator.below(2) == 0 { return "\(group):*" }
            let first = 1 + generator.below(2)
            return generator.below(2) == 0 ? "\(group):\(first)" : "\(group):\(first),\(first + 1)"
        }.joined(separator: ";")
        guard let filter = try? ResourceFilter(text) else { preconditionFailure("\(text) is a filter") }
        return filter
    }
}
