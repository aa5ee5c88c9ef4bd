public import HTTPTypes
internal import LarderFormat
public import LarderHTTP
public import LarderOutbox
public import LarderStore
public import LarderTransport

/// An outbox as the queue in which an ``ObjectCache``'s writes of persistent classes wait.
///
/// All of them stand in one lane, so that a write about one object never overtakes an earlier one about another; each is of
/// the entity that is its object, so that one that failed holds only what is about the same.
public struct OutboxWriteQueue: WriteQueue {
    /// The host's name of the kind of write.
    public static let mutationType = "object"

    private static let lane = Lane.named("objects")
    private static let laneText = lane.text(entity: nil)

    private let outbox: Outbox
    private let loadsAnswers: Bool
    private let contentType: String

    /// A queue over an outbox of the store that the objects are kept in.
    ///
    /// - Parameters:
    ///   - loadsAnswers: whether what the server makes of a write becomes the object: the answer's body, or else a GET. The
    ///     outbox's ``OutboxConfiguration/loading`` says what of a body that is.
    ///   - contentType: that of the bodies of writes that name none.
    public init(_ outbox: Outbox, loadsAnswers: Bool = true, contentType: String = "application/json") {
        self.outbox = outbox
        self.loadsAnswers = loadsAnswers
        self.contentType = contentType
    }

    /// The outbox's.
    public var keyField: HTTPField.Name { outbox.keyField }

    /// That of the outbox's policy.
    public var schedule: WriteSchedule { outbox.policy.schedule }

    /// How often the outbox was told who is signed in.
    public var signIns: Int { outbox.signIns }

    /// Has the outbox pause and ask for a sign-in, as after a 401 to one of its writes; false where it does not run, or has another
    /// account.
    public func noteUnauthorized(_ account: String?, since signIns: Int) -> Bool {
        outbox.noteUnauthorized(account, since: signIns)
    }

    /// Enqueues the write under its own identity and account.
    ///
    /// - Throws: `HTTPCacheError.notSignedIn` where its account is not signed in; otherwise as ``Outbox/enqueue(_:)``.
    public func enqueue(_ write: QueuedWrite, effects: [RowEffect]) async throws {
        let isEmpty = write.payload.isEmpty
        let sent = OutboxWrite(
            Self.mutationType, write.method, write.path, body: isEmpty ? .none : .bytes(write.payload),
            fields: isEmpty ? [:] : [.contentType: write.contentType ?? contentType], entity: write.object.description,
            lane: Self.lane,
            effects: effects, loadsAnswer: loadsAnswers && write.method != .delete)
        do {
            let prepared = try outbox.prepare(sent, id: write.id, triedAt: write.isInDoubt ? write.createdAt : nil)
            try await outbox.store.write { transaction in
                let session = try transaction.session()
                // Under which it was prepared, and which is signed in now: the host may have said another meanwhile.
                let gates = [.signedIn(prepared.draft.account), outbox.gate].map { Self.gate($0, session) }
                guard gates.allSatisfy({ $0.admits(write.account) }) else { throw OutboxError.notSignedIn }
                _ = try transaction.enqueue(prepared)
            }
        } catch {
            if case OutboxError.notSignedIn = error { throw HTTPCacheError.notSignedIn }
            throw error
        }
    }

    /// The signed-in account, as the outbox has it. A session in the store must agree; where the outbox has no accounts, the
    /// session decides.
    ///
    /// - Throws: what the store throws.
    public func gate() throws -> SessionGate {
        let told = outbox.gate
        return try outbox.store.read { view in Self.gate(told, try view.session()) }
    }

    private static func gate(_ told: SessionGate, _ session: StoredSession?) -> SessionGate {
        guard let session else { return told }
        let stored = SessionGate(session)
        switch told {
        case .signedIn(nil): return stored
        case .signedIn(let account): return stored.admits(account) ? stored : .signedOut
        case .expired(let account): return account == nil || stored.admits(account) ? told : .signedOut
        case .signedOut: return .signedOut
        }
    }

    /// What the outbox makes of it.
    public func verdict(
        reading response: TransportResponse, to write: QueuedWrite
    ) async throws(TransportError) -> Verdict {
        try await outbox.verdict(reading: response, to: write.method, tries: write.isInDoubt ? 2 : 1)
    }

    /// The rest of the wait that outbox, sync and an ``ObjectCache`` share, over restarts.
    ///
    /// - Throws: what the store throws.
    public func serverWait(of server: String) throws -> Duration? {
        let now = outbox.store.host.now()
        return try outbox.store.read { view in
            try view.serverWait(of: server, at: now).map { .milliseconds($0.remaining(at: now)) }
        }
    }

    /// Stores a wait for all of them; it counts up to a day.
    ///
    /// - Throws: what the store throws.
    public func noteServerWait(_ wait: Duration, of server: String) async throws {
        let now = outbox.store.host.now()
        try await outbox.store.write { transaction in
            try transaction.noteServerWait(of: server, milliseconds: wait.milliseconds, at: now)
        }
    }

    /// The writes that wait or are parked, in their order.
    ///
    /// - Throws: what the store throws.
    public func waiting() throws -> [WaitingWrite] {
        try entries().map { entry in
            WaitingWrite(
                entity: entry.draft.entity ?? "", changed: entry.rows.first.flatMap(ObjectName.init(row:)),
                path: entry.draft.endpoint)
        }
    }

    /// Tries at once what waits about an object or before it, and waits until the server has answered all of it, or until the
    /// outbox is paused or waits for a later time.
    ///
    /// - Throws: `CancellationError`; what the store throws.
    public func sendWaiting(about object: ObjectName) async throws {
        let entity = object.description
        for entry in try Self.upTo(entity, entries()) {
            let isParked = entry.delivery.state == .failed && entry.draft.entity == entity
            guard isParked || entry.delivery.state == .waiting else { continue }
            do {
                try await outbox.retry(entry.id)
            } catch OutboxError.unknownEntry {
                // Sent meanwhile.
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await _ in outbox.store.values(in: .outbox, { _ in true }) {
                    if try !isMoving(entity) { return }
                }
            }
            group.addTask {
                for await _ in outbox.statuses() {
                    if try !isMoving(entity) { return }
                }
            }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Whether what waits about an entity will be sent without a wait.
    private func isMoving(_ entity: String) throws -> Bool {
        let before = try Self.upTo(entity, entries())
        if before.isEmpty || outbox.status.pauses.contains(where: \.isOfAll) { return false }
        return before.allSatisfy { entry in
            switch entry.delivery.state {
            case .pending, .sending: true
            case .waiting, .rejected: false
            // Parked, it holds what is about the same only.
            case .failed, .unresolved, .conflicted: entry.draft.entity != entity
            }
        }
    }

    /// The entries up to the last one about an entity.
    private static func upTo(_ entity: String, _ entries: [OutboxEntry]) -> ArraySlice<OutboxEntry> {
        let last = entries.lastIndex { $0.draft.entity == entity }
        return last.map { entries[...$0] } ?? []
    }

    private func entries() throws -> [OutboxEntry] {
        try outbox.store.read { view in
            try view.readableOutboxHeads(lane: Self.laneText).filter { $0.delivery.state != .rejected }
        }
    }
}

extension PauseReason {
    /// Whether it keeps the writes of the account signed in from being sent.
    fileprivate var isOfAll: Bool {
        switch self {
        case .notRunning, .deliveredElsewhere, .otherServer, .offline, .signedOut, .signInExpired, .otherAccounts,
            .askedToWait, .intercepted, .refusals, .storage:
            true
        case .held: false
        }
    }
}

extension OutboxConfiguration {
    /// This configuration for the writes of an ``ObjectCache``: what of an answer becomes the object is as `service` reads
    /// it.
    public func loadingObjects(of service: any ObjectService) -> OutboxConfiguration {
        var configuration = self
        let other = loading
        configuration.loading = AnswerLoading { entry, body in
            guard entry.mutationType == OutboxWriteQueue.mutationType,
                let name = entry.rows.first.flatMap(ObjectName.init)
            else { return other.row(entry, body) }
            // An answer that says something else than the object is none.
            guard let found = try? service.objects(in: body, answering: .object(name)), found.count == 1,
                found[0].id == name.id
            else { return nil }
            return AnswerLoading.LoadedRow(
                payload: found[0].payload, codec: service.codec, updatedAt: found[0].updatedAt)
        }
        return configuration
    }
}
