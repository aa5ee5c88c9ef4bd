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
    /// Looks at the confirmed overlays that a commit has left.
    let releaser: Releaser
    /// Who reads which blob.
    let leases: BlobLeases
    /// What was used since usage was last written down.
    let usage = UsageNotes()
    let room: Room
    private let hubs = Mutex<[ObjectIdentifier: Weak<ObservationHub>]>([:])
    private let isRecovered = Mutex(false)

    /// The state of an open environment; `host` is the one of the first open.
    ///
    /// - Throws: ``EngineError/openWithOtherOptions`` when another open of the file has another cap.
    static func of(
        _ environment: Environment, host: HostServices, sizeCap: Int64?
    ) throws(EngineError) -> SharedState {
        let state = known.withLock { known in
            // While the state lives it holds its environment, so the identifier cannot be another's.
            if let state = known[ObjectIdentifier(environment)]?.object { return state }
            known = known.filter { $0.value.object != nil }
            let state = SharedState(environment: environment, host: host, sizeCap: sizeCap)
            known[ObjectIdentifier(environment)] = Weak(object: state)
            return state
        }
        if state.room.cap != sizeCap { throw .openWithOtherOptions }
        return state
    }

    private init(environment: Environment, host: HostServices, sizeCap: Int64?) {
        self.environment = environment
        tables = Tables(environment.tables)
        meter = WriterMeter(elapsed: host.elapsed)
        releaser = Releaser(host: host)
        leases = BlobLeases(path: environment.path)
        room = Room(cap: sizeCap, now: host.now, usage: usage, leases: leases)
        reclaimer = Reclaimer(
            environment: environment, tables: tables, room: room, host: host, meter: meter, leases: leases)
        room.setGarbage { [weak reclaimer] in reclaimer?.waiting ?? Room.Garbage() }
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

    /// Tells observers what a commit changed, and has the garbage it made removed and the overlays it left looked at.
    func publish(_ effects: CommitEffects) {
        if !effects.changes.isEmpty {
            for hub in hubs.withLock({ $0.values.compactMap(\.object) }) { hub.publish(effects.changes) }
        }
        reclaimer.add(effects.garbage, blobs: effects.garbageBlobs, indexes: effects.garbageIndexes)
        reclaimer.retry()
        releaser.add(effects.releases, in: self)
    }

    /// Runs `body` in a transaction of its own on the writer thread, where the caller is.
    func transact<Result>(
        durability: Durability, isBulk: Bool = false, _ body: (inout Transaction) throws -> Result
    ) throws -> Result {
        let (result, effects) = try meter.measure(isBulk: isBulk) {
            try environment.transact(durability: durability) { (engine: inout WriteTransaction) in
                try Transaction.run(&engine, tables, room, body)
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
    /// Generations whose rows nobody needs any more.
    var garbage: [Int64] = []
    /// Blobs that nothing names any more.
    var garbageBlobs: [Int64] = []
    /// Secondary indexes that were given up.
    var garbageIndexes: [Int64] = []
    /// Blobs that became the bodies of responses.
    var namedBlobs: Set<Int64> = []
    /// What was evicted.
    var evictions: [Eviction] = []
    /// Confirmed overlays that were too many to look at.
    var releases = ReleaseOrders()
}
