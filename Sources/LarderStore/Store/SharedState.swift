internal import LarderEngine
internal import Synchronization

/// What all opens of one file in this process share: whose writes wait, who writes a generation, who observes.
///
/// The engine gives every open of a file the same environment; so a commit made through one open has to reach the
/// observers of all, and only the first open may take what is being staged for the remains of a killed process.
final class SharedState: Sendable {
    private struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }

    private static let known = Mutex<[ObjectIdentifier: Weak<SharedState>]>([:])

    let environment: Environment
    let tables: Tables
    let stagingSlot = StagingSlot()
    let commits = GroupCommit()
    let meter: WriterMeter
    let reclaimer: Reclaimer
    private let hubs = Mutex<[ObjectIdentifier: Weak<ObservationHub>]>([:])
    private let isRecovered = Mutex(false)

    /// The state of an open environment; `host` is the one of the first open.
    static func of(_ environment: Environment, host: HostServices) -> SharedState {
        known.withLock { known in
            // While the state lives it holds its environment, so the identifier cannot be another's.
            if let state = known[ObjectIdentifier(environment)]?.object { return state }
            known = known.filter { $0.value.object != nil }
            let state = SharedState(environment: environment, host: host)
            known[ObjectIdentifier(environment)] = Weak(object: state)
            return state
        }
    }

    private init(environment: Environment, host: HostServices) {
        self.environment = environment
        tables = Tables(environment.tables)
        meter = WriterMeter(elapsed: host.elapsed)
        reclaimer = Reclaimer(environment: environment, tables: tables, host: host, meter: meter)
    }

    /// Runs `recover` unless it has run since the file was opened.
    func recoverOnce(_ recover: () -> Void) {
        isRecovered.withLock { isRecovered in
            if !isRecovered { recover() }
            isRecovered = true
        }
    }

    /// Lets `hub` hear of commits as long as it lives.
    func add(_ hub: ObservationHub) {
        hubs.withLock { hubs in
            hubs = hubs.filter { $0.value.object != nil }
            hubs[ObjectIdentifier(hub)] = Weak(object: hub)
        }
    }

    /// Tells observers what a commit changed, and has the garbage it made removed.
    func publish(_ effects: CommitEffects) {
        if !effects.changes.isEmpty {
            for hub in hubs.withLock({ $0.values.compactMap(\.object) }) { hub.publish(effects.changes) }
        }
        reclaimer.add(effects.garbage)
    }

    /// Runs `body` in a transaction of its own on the writer thread, where the caller is.
    func transact<Result>(
        durability: Durability, isBulk: Bool = false, _ body: (inout Transaction) throws -> Result
    ) throws -> Result {
        let (result, effects) = try meter.measure(isBulk: isBulk) {
            try environment.transact(durability: durability) { (engine: inout WriteTransaction) in
                try Transaction.run(&engine, tables, body)
            }
        }
        publish(effects)
        return result
    }
}

/// What a commit sets off.
struct CommitEffects: Sendable {
    /// What observers are told.
    var changes = ChangeSet()
    /// What nobody needs any more.
    var garbage: [Garbage] = []
}

/// Records that are deleted behind the callers' backs.
enum Garbage: Hashable, Sendable {
    /// The rows and index entries of a generation.
    case generation(Int64)
    /// The entries of an index.
    case index(Int64)
}
