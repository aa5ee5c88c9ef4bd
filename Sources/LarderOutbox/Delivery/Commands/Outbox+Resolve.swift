internal import HTTPTypes
internal import LarderEngine
public import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Logging
internal import Synchronization

extension Outbox {
    /// Returns the conflicting versions of an entry in conflict; the server is asked for its own.
    ///
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` when it is not in conflict;
    ///   ``OutboxError/offline``, ``OutboxError/notSignedIn`` when the server cannot be asked now;
    ///   ``OutboxError/remoteUnknown(_:reason:)`` when its response does not contain its version; `StoreError`,
    ///   `EngineError`.
    public func conflict(of id: UUIDBytes) async throws -> Conflict { try await conflict(of: id, nil) }

    /// Resolves a conflict as the host decides; ``ConflictResolution/deferToHost`` does nothing.
    ///
    /// - Parameters:
    ///   - conflict: as returned by ``conflict(of:)``.
    ///   - resolution: the decision.
    /// - Returns: the entry that replaced it, where one did.
    /// - Throws: ``OutboxError/unknownEntry(_:)``; ``OutboxError/notApplicable(_:_:)`` when it is not in conflict any
    ///   more; ``OutboxError/stopped`` when the outbox stopped meanwhile; as `Store.write(durability:_:)`.
    @discardableResult
    public func resolve(_ conflict: Conflict, with resolution: ConflictResolution) async throws -> UUIDBytes? {
        let prepared = preparedResolution(of: conflict, resolution, ConflictPolicy.host.name)
        switch resolution {
        case .deferToHost: return nil
        case .keepLocal, .send: return try await replaceConflicted(prepared)
        case .keepRemote:
            let id = conflict.entryID
            try await perform(
                .discard(id, outcome: PreparedResolution.outcome), commitHook: { try $0.recordResolution(prepared) }
            ) { machine in
                guard let entry = machine.entries.first(where: { $0.id == id }) else { return .unknownEntry(id) }
                return entry.delivery.state == .conflicted ? nil : .notApplicable(id, entry.delivery.state)
            }
            report(.resolved(id, by: nil))
            return nil
        }
    }

    private func preparedResolution(
        of conflict: Conflict, _ resolution: ConflictResolution, _ policy: String
    ) -> PreparedResolution {
        PreparedResolution(
            conflict: conflict, resolution: resolution, policy: policy, successor: store.host.makeID(),
            time: store.host.now())
    }

    private func replaceConflicted(_ prepared: PreparedResolution) async throws -> UUIDBytes {
        let id = prepared.conflict.entryID
        let entry = try await store.write { transaction in try transaction.replaceConflicted(prepared) }
        report(.resolved(id, by: entry.id))
        publish()
        return entry.id
    }
}

// MARK: - By policy

extension Outbox {
    /// Resolves a conflict by its policy. A policy that needs the server's version waits for the network and for a
    /// response that contains it. A decision that the store cannot keep is made again after a wait.
    ///
    /// - Parameter answer: the server's refusal, if it has just arrived.
    func resolveConflict(_ id: UUIDBytes, _ answer: AcceptedResponse?) async {
        guard let resolver = configuration.conflicts else { return }
        var failures = 0
        while !Task.isCancelled {
            do {
                guard let conflict = try await conflictOnceSignedIn(id, answer) else { return }
                if try resolutionsInARow(before: id) >= resolver.mostInARow {
                    return store.host.logger.warning("a conflict is left to the host: it recurred too often")
                }
                try await resolve(conflict, by: resolver.policy)
                return
            } catch let error where error.isTransient {
                failures += 1
                if case OutboxError.remoteUnknown(_, let reason) = error {
                    post(.event(.remoteUnknown(id, reason: reason)))
                }
                let time = store.host.elapsed() + policy.retry.delay(afterFailures: failures, random: 0)
                post(.resolution(id, .time(time)))
                do { try await store.host.sleepUntil(time) } catch { return }
                post(.resolution(id, .response))
            } catch {
                // The policy failed, or the conflict was resolved meanwhile.
                return store.host.logger.warning("a conflict is left to the host", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Returns the conflict as ``conflict(of:)``; waits until the account of the entry is signed in. Nil when
    /// cancelled.
    private func conflictOnceSignedIn(_ id: UUIDBytes, _ answer: AcceptedResponse?) async throws -> Conflict? {
        while !Task.isCancelled {
            do {
                return try await conflict(of: id, answer)
            } catch OutboxError.notSignedIn {
                guard let entry = try store.read({ view in try view.outboxHead(id) }) else { continue }
                let account = entry.draft.account
                post(.resolution(id, .signIn(account)))
                for await authentication in authenticationBroadcast.states() where authentication == .signedIn(account)
                { break }
                post(.resolution(id, .response))
            }
        }
        return nil
    }

    private func resolve(_ conflict: Conflict, by policy: ConflictPolicy) async throws {
        let resolution = try await policy.decide(conflict)
        let prepared = preparedResolution(of: conflict, resolution, policy.name)
        switch resolution {
        case .deferToHost: break
        case .keepLocal, .send: _ = try await replaceConflicted(prepared)
        // Not awaited: this task is a part of the loop that would respond.
        case .keepRemote: post(.conflictResolved(prepared))
        }
    }

    /// Returns the number of conflicts that led to this entry, each by a successor of another.
    private func resolutionsInARow(before id: UUIDBytes) throws -> Int {
        let conflicts = try store.read { view in try view.conflicts() }
        var (count, id) = (0, id)
        for conflict in conflicts.reversed() where conflict.successor == id {
            count += 1
            id = conflict.entryID
        }
        return count
    }
}

// MARK: - Conflicting versions

extension Outbox {
    private func conflict(of id: UUIDBytes, _ answer: AcceptedResponse?) async throws -> Conflict {
        let resolver = configuration.conflicts ?? ConflictResolver(.host)
        let now = store.host.now()
        var conflict = try store.read { view -> Conflict in
            guard let entry = try view.outboxEntry(id) else { throw OutboxError.unknownEntry(id) }
            guard entry.delivery.state == .conflicted else {
                throw OutboxError.notApplicable(id, entry.delivery.state)
            }
            let row = entry.rows.first
            var overlay: Overlay?
            if let row { overlay = try view.overlays(at: row).last { $0.sequence == entry.sequence } }
            let isRemoval = overlay.map { $0.change == .removal } ?? (entry.method.uppercased() == "DELETE")
            let payload = isRemoval ? nil : overlay.flatMap { $0.payload } ?? entry.payload
            var base: Conflict.Side?
            if let overlay { base = try Self.base(of: entry, overlay, view).map { resolver.side($0, now: now) } }
            var local = resolver.side(payload, now: now)
            // A time that the write left unchanged is not its own.
            if local.updatedAt == nil || local.updatedAt == base?.updatedAt {
                local.updatedAt = overlay?.updatedAt ?? entry.createdAt
            }
            return Conflict(
                entry: entry, row: row, status: entry.delivery.lastStatus ?? 409,
                base: base, local: local, remote: nil)
        }
        if let head = answer?.head, let body = answer?.body, let held = resolver.remoteInRefusal(head, body) {
            conflict.remote = resolver.side(held, head: head, now: now)
        } else if let endpoint = configuration.entityEndpoint(conflict.entry) {
            conflict.remote = try await remote(of: conflict.entry, at: endpoint, resolver)
        }
        return conflict
    }

    /// Returns the version that the write was made from: the server's when the write was last in conflict, or else the
    /// row beneath the overlay.
    private static func base(
        of entry: OutboxEntry, _ overlay: Overlay, _ view: borrowing ReadView
    ) throws -> [UInt8]? {
        if let before = try view.conflicts().last(where: { $0.successor == entry.id }), before.remote != .none {
            return before.remote.payload
        }
        return overlay.basePayload
    }

    /// Asks the server for its version.
    ///
    /// Only a 200 or 203 (RFC 9110 §15.3) with a body that the resolver accepts as a version contains it; 404 and 410
    /// say that there is none. Any other response says neither: a policy that relied on it would discard the write.
    private func remote(
        of entry: OutboxEntry, at endpoint: String, _ resolver: ConflictResolver
    ) async throws(OutboxError) -> Conflict.Side {
        guard state.withLock({ $0.authentication }) == .signedIn(entry.draft.account) else { throw .notSignedIn }
        let reply = await fetch(endpoint, of: entry.draft)
        guard case .head(let answer) = reply.result, let head = reply.head else { throw .offline }
        let status = answer.status
        if !answer.isWhole { throw .remoteUnknown(entry.id, reason: "a \(status) that broke off") }
        if answer.isForeign { throw .remoteUnknown(entry.id, reason: "a \(status) that is not the API's") }
        switch status {
        case 200, 203:
            guard let body = reply.body else {
                throw .remoteUnknown(entry.id, reason: "a \(status) whose body exceeds the limit")
            }
            guard resolver.isState(head, body) else {
                throw .remoteUnknown(entry.id, reason: "a \(status) without its version")
            }
            return resolver.side(body, head: head, now: store.host.now())
        case 404, 410: return Conflict.Side(payload: nil)
        default: throw .remoteUnknown(entry.id, reason: "a \(status)")
        }
    }
}

extension Error {
    /// Whether a repeat may succeed later: the server may be reached then, or the disk have space again.
    fileprivate var isTransient: Bool {
        switch self as any Error {
        case OutboxError.offline, OutboxError.remoteUnknown, StoreError.full, is EngineError: true
        default: false
        }
    }
}
