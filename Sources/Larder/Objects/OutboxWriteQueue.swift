public import HTTPTypes
internal import LarderFormat
public import LarderHTTP
public import LarderOutbox
public import LarderStore
public import LarderTransport

/// An outbox as the queue in which an `ObjectCache`'s writes of persistent classes wait.
///
/// All of them are in one lane, so that a write about one object never overtakes an earlier one about another. The
/// entity of each write is its object, so that a failed write holds back only writes about the same object.
///
/// ```swift
/// let writes = OutboxWriteQueue(outbox, loadsAnswers: false)  // nothing is loaded after a write
/// let objects = ObjectCache(
///     service: service, transport: transport, persistent: .store(store, writes: writes),
///     classes: [ObjectClass("User", persistence: .persistent)], host: .system())
/// ```
public struct OutboxWriteQueue: WriteQueue {
    /// The mutation type of the writes.
    public static let mutationType = "object"

    private static let lane = Lane.named("objects")
    private static let laneText = lane.text(entity: nil)

    private let outbox: Outbox
    private let loadsResponses: Bool
    private let contentType: String

    /// Creates a queue over an outbox of the store in which the objects are kept.
    ///
    /// - Parameters:
    ///   - outbox: the outbox that keeps and sends the writes.
    ///   - loadsAnswers: whether the server's version after a write becomes the object: the body of the response, or
    ///     else of a GET. The outbox's `OutboxConfiguration.loading` extracts it from a body.
    ///   - contentType: the media type of bodies of writes that name none.
    public init(_ outbox: Outbox, loadsAnswers: Bool = true, contentType: String = "application/json") {
        self.outbox = outbox
        self.loadsResponses = loadsAnswers
        self.contentType = contentType
    }

    /// The header field of the outbox.
    public var idempotencyKeyField: HTTPField.Name { outbox.keyField }

    /// The schedule of the outbox's policy.
    public var schedule: WriteSchedule { outbox.policy.schedule }

    /// The number of times the outbox's authentication state was set.
    public var signInCount: Int { outbox.signIns }

    /// Pauses the outbox and requests a sign-in, as after a 401 to one of its writes. Returns false where the outbox
    /// does not run, or has another account.
    public func reportUnauthorized(_ account: String?, since signIns: Int) -> Bool {
        outbox.reportUnauthorized(account, since: signIns)
    }

    /// Enqueues the write under its own identity and account.
    ///
    /// - Throws: `HTTPCacheError.notSignedIn` where its account is not signed in; otherwise as `Outbox.enqueue(_:)`.
    public func enqueue(_ write: QueuedWrite, effects: [RowEffect]) async throws {
        let isEmpty = write.payload.isEmpty
        let sent = OutboxWrite(
            Self.mutationType, write.method, write.path, body: isEmpty ? .none : .bytes(write.payload),
            fields: isEmpty ? [:] : [.contentType: write.contentType ?? contentType], entity: write.object.description,
            lane: Self.lane,
            effects: effects, loadsResponse: loadsResponses && write.method != .delete)
        do {
            let prepared = try outbox.prepare(sent, id: write.id, triedAt: write.isInDoubt ? write.createdAt : nil)
            try await outbox.store.write { transaction in
                let session = try transaction.session()
                // Checks the account of the preparation and the one signed in now, because the host may have set
                // another meanwhile.
                let states = [.signedIn(prepared.draft.account), outbox.authentication].map {
                    Self.authenticationState($0, session)
                }
                guard states.allSatisfy({ $0.allows(write.account) }) else { throw OutboxError.notSignedIn }
                _ = try transaction.enqueue(prepared)
            }
        } catch {
            if case OutboxError.notSignedIn = error { throw HTTPCacheError.notSignedIn }
            throw error
        }
    }

    /// Returns the authentication state of the outbox. A session in the store must agree with it; where the outbox has
    /// no accounts, the session decides.
    ///
    /// - Throws: as `Store.read(_:)`.
    public func authenticationState() throws -> AuthenticationState {
        let outboxState = outbox.authentication
        return try outbox.store.read { view in Self.authenticationState(outboxState, try view.session()) }
    }

    private static func authenticationState(_ outboxState: AuthenticationState, _ session: StoredSession?)
        -> AuthenticationState
    {
        guard let session else { return outboxState }
        let stored = AuthenticationState(session)
        switch outboxState {
        case .signedIn(nil): return stored
        case .signedIn(let account): return stored.allows(account) ? stored : .signedOut
        case .expired(let account): return account == nil || stored.allows(account) ? outboxState : .signedOut
        case .signedOut: return .signedOut
        }
    }

    /// Returns the outbox's verdict on a response.
    ///
    /// - Throws: the error that ended a successful response too early.
    public func verdict(
        reading response: TransportResponse, to write: QueuedWrite
    ) async throws(TransportError) -> Verdict {
        try await outbox.verdict(reading: response, to: write.method, tries: write.isInDoubt ? 2 : 1)
    }

    /// Returns the rest of the wait that outbox, sync and an `ObjectCache` share, also after a restart.
    ///
    /// - Throws: as `Store.read(_:)`.
    public func serverWait(of server: String) throws -> Duration? {
        let now = outbox.store.host.now()
        return try outbox.store.read { view in
            try view.serverWait(of: server, at: now).map { .milliseconds($0.remaining(at: now)) }
        }
    }

    /// Records a wait for outbox, sync and object cache. It counts up to a day.
    ///
    /// - Throws: as `Store.write(durability:_:)`.
    public func recordServerWait(_ wait: Duration, of server: String) async throws {
        let now = outbox.store.host.now()
        try await outbox.store.write { transaction in
            try transaction.setServerWait(of: server, milliseconds: wait.milliseconds, at: now)
        }
    }

    /// Returns the writes that wait or are parked, in their order.
    ///
    /// - Throws: as `Store.read(_:)`.
    public func waiting() throws -> [WaitingWrite] {
        try entries().map { entry in
            WaitingWrite(
                entity: entry.draft.entity ?? "", changed: entry.rows.first.flatMap(ObjectName.init(row:)),
                path: entry.draft.endpoint)
        }
    }

    /// Sends the writes about an object and those before them at once. Returns when the server has responded to all of
    /// them, or when the outbox is paused or waits for a later time.
    ///
    /// - Throws: `CancellationError`; as `Outbox.retry(_:)` and `Store.read(_:)`.
    public func sendWaiting(about object: ObjectName) async throws {
        let entity = object.description
        for entry in try Self.entriesThrough(entity, entries()) {
            let isParked = entry.delivery.state == .failed && entry.draft.entity == entity
            guard isParked || entry.delivery.state == .waiting else { continue }
            do {
                try await outbox.retry(entry.id)
            } catch OutboxError.unknownEntry {
                // The entry was sent meanwhile.
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await _ in outbox.store.values(in: .outbox, { _ in true }) {
                    if try !isBeingSent(entity) { return }
                }
            }
            group.addTask {
                for await _ in outbox.statuses() {
                    if try !isBeingSent(entity) { return }
                }
            }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Whether the writes about an entity will be sent without a wait.
    private func isBeingSent(_ entity: String) throws -> Bool {
        let before = try Self.entriesThrough(entity, entries())
        if before.isEmpty || outbox.status.pauses.contains(where: \.blocksAllWrites) { return false }
        return before.allSatisfy { entry in
            switch entry.delivery.state {
            case .pending, .sending: true
            case .waiting, .rejected: false
            // A parked entry holds back only entries of the same entity.
            case .failed, .unresolved, .conflicted: entry.draft.entity != entity
            }
        }
    }

    /// Returns the entries up to the last one about an entity.
    private static func entriesThrough(_ entity: String, _ entries: [OutboxEntry]) -> ArraySlice<OutboxEntry> {
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
    /// Whether the reason keeps the writes of the account signed in from being sent.
    fileprivate var blocksAllWrites: Bool {
        switch self {
        case .notRunning, .deliveredElsewhere, .otherServer, .offline, .signedOut, .signInExpired, .otherAccounts,
            .serverWait, .intercepted, .refusals, .storage:
            true
        case .blocked: false
        }
    }
}

extension OutboxConfiguration {
    /// Returns this configuration for the writes of an `ObjectCache`: `service` extracts the object from a response.
    public func loadingObjects(of service: any ObjectService) -> OutboxConfiguration {
        var configuration = self
        let other = loading
        configuration.loading = ResponseLoading { entry, body in
            guard entry.mutationType == OutboxWriteQueue.mutationType,
                let name = entry.rows.first.flatMap(ObjectName.init)
            else { return other.row(entry, body) }
            // A response that contains anything else than the object is ignored.
            guard let found = try? service.objects(in: body, answering: .object(name)), found.count == 1,
                found[0].id == name.id
            else { return nil }
            return ResponseLoading.LoadedRow(
                payload: found[0].payload, codec: service.codec, updatedAt: found[0].updatedAt)
        }
        return configuration
    }
}
