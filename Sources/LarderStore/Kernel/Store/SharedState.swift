internal import CoreMetrics
internal import LarderEngine
internal import LarderFormat
internal import Logging
internal import Synchronization

/// The state that all opens of one file in this process share: waiting writes, the turn to stage, observers.
///
/// The engine gives every open of a file the same environment. A commit made through one open therefore has to reach
/// the observers of all. Only the first open may treat staged generations as the remains of a killed process.
final class SharedState: Sendable {
    private struct Weak<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }

    private static let instances = Mutex<[ObjectIdentifier: Weak<SharedState>]>([:])

    let environment: Environment
    let tables: Tables
    /// The host of the first open.
    let host: HostServices
    /// The identifier of this open of the file, among those of all processes.
    let process: UUIDBytes
    /// The lease of this open, in use while it writes generations or blobs that no reader sees yet.
    let lease: OpenerLease
    /// The most bytes that may be stored after a commit; nil for any number.
    let sizeCap: Int64?
    /// The header fields that are never stored: those of the first open.
    let credentialFields: CredentialFields
    /// The compression of rows; nil where none is compressed.
    let compression: RowCompression?
    let commits = GroupCommit()
    let meter: WriterMeter
    private let bytes: Gauge
    /// The generations that were read lately.
    let generationUses = UseBits()
    /// The parts that participate in commits, the lowest layer first.
    let participants: [any CommitParticipant]
    private let parts: [any SharedPart]
    private let partsByType: [ObjectIdentifier: any SharedPart]
    /// The lists that were made of the parts, by the types of their elements.
    private let lists = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])
    private let hubs = Mutex<[ObjectIdentifier: Weak<ObservationHub>]>([:])
    private let isRecovered = Mutex(false)
    private let hasReportedMissingWatch = Atomic(false)

    /// Returns the state of an open file, made when there is none.
    ///
    /// - Parameters:
    ///   - file: the file; its host counts at the first open.
    ///   - parts: the types of the layers' parts, the lowest layer first.
    /// - Throws: ``EngineError/openWithOtherOptions`` when another open of the file has another cap.
    static func of(_ file: FileContext, parts: [any SharedPart.Type]) throws(EngineError) -> SharedState {
        let environment = file.environment
        let state = instances.withLock { known in
            // While the state lives it holds its environment, so the identifier cannot be another's.
            if let state = known[ObjectIdentifier(environment)]?.object { return state }
            known = known.filter { $0.value.object != nil }
            let state = SharedState(file, parts)
            known[ObjectIdentifier(environment)] = Weak(object: state)
            return state
        }
        if state.sizeCap != file.sizeCap { throw .openWithOtherOptions }
        return state
    }

    private init(_ file: FileContext, _ types: [any SharedPart.Type]) {
        environment = file.environment
        host = file.host
        process = file.host.makeID()
        lease = OpenerLease(of: process.description, in: file.environment.path)
        sizeCap = file.sizeCap
        credentialFields = file.credentialFields
        compression = file.environment.compression
        tables = Tables(environment)
        meter = WriterMeter(host)
        bytes = Gauge(label: "larder_store_bytes", factory: host.metrics)
        parts = types.map { $0.init(file) }
        participants = parts.compactMap { $0 as? any CommitParticipant }
        partsByType = Dictionary(uniqueKeysWithValues: parts.map { (ObjectIdentifier(type(of: $0)), $0) })
    }

    /// Returns the part of a type; traps when the type was not registered.
    func part<Part: SharedPart>(_ type: Part.Type) -> Part {
        guard let part = partsByType[ObjectIdentifier(type)] as? Part else {
            preconditionFailure("\(type) is not among the parts that the store was opened with")
        }
        return part
    }

    /// The parts that conform to a protocol of a layer, in the order of their layers.
    func parts<Part: Sendable>(as type: Part.Type) -> [Part] {
        if let known = lists.withLock({ $0[ObjectIdentifier(type)] }) as? PartList<Part> { return known.parts }
        let list = PartList(parts: parts.compactMap { $0 as? Part })
        lists.withLock { $0[ObjectIdentifier(type)] = list }
        return list.parts
    }

    /// Runs `recover` unless it has run since the file was opened.
    func recoverOnce(_ recover: () -> Void) {
        isRecovered.withLock { isRecovered in
            if !isRecovered { recover() }
            isRecovered = true
        }
    }

    /// Notifies `hub` of commits as long as the hub lives.
    func add(_ hub: ObservationHub) {
        hubs.withLock { hubs in
            hubs = hubs.filter { $0.value.object != nil }
            hubs[ObjectIdentifier(hub)] = Weak(object: hub)
        }
    }

    /// Notifies observers of the changes of a commit, and has the participants handle its effects.
    func publish(_ effects: CommitEffects) {
        if !effects.changes.isEmpty {
            for hub in liveHubs { hub.publish(effects.changes) }
        }
        for participant in participants { participant.didCommit(effects, in: self) }
    }

    /// Notifies observers of the commits of other processes, too.
    func watchExternalCommits() {
        do {
            let isWatching = try environment.onExternalCommits { [weak self] in
                for hub in self?.liveHubs ?? [] { hub.publish(.everything) }
            }
            if !isWatching, !hasReportedMissingWatch.exchange(true, ordering: .relaxed) {
                host.logger.warning("commits of other processes are not observed: the data file cannot be watched")
            }
        } catch {
            host.logger.debug("the store closed before it was observed", metadata: ["error": "\(error)"])
        }
    }

    private var liveHubs: [ObservationHub] { hubs.withLock { $0.values.compactMap(\.object) } }

    /// Runs `body` in a transaction of its own; called on the writer thread.
    func transact<Result>(
        durability: Durability, isBulk: Bool = false, _ body: (inout Transaction) throws -> Result
    ) throws -> Result {
        let (result, effects) = try meter.measure(isBulk: isBulk) {
            while true {
                do {
                    return try environment.transact(durability: durability) { (engine: inout WriteTransaction) in
                        try Transaction.run(&engine, self, body)
                    }
                } catch {
                    if participants.allSatisfy({ !$0.canRunAgain() }) { throw error }
                }
            }
        }
        publish(effects)
        if let size = effects.storedSize { bytes.record(size) }
        return result
    }
}

/// The parts that conform to one protocol, found once: asking each whether it does takes as long as a lookup.
private final class PartList<Part: Sendable>: Sendable {
    let parts: [Part]

    init(parts: [Part]) { self.parts = parts }
}

/// The effects of a commit.
struct CommitEffects {
    /// The number of the commit; nil where nothing was changed.
    var commit: UInt64?
    /// The changes that observers are notified of.
    var changes = ChangeSet()
    /// The bytes of keys and values of every table but `meta`, where the commit changed them.
    var storedSize: Int64?
    /// Whether something was discarded, and waits to be removed.
    var hasGarbage = false
    /// The states of the layers in the transaction.
    let states = CommitStates()
}
