package import LarderFormat
package import LarderStore

// The order of turns, and what holds entries back.
extension DeliveryMachine {
    /// The reason, other than time, that keeps an entry from being sent. The numbers are indices of ``entries``.
    enum Blocker: Hashable {
        /// It was made under another account.
        case account
        /// It is parked: it has failed, or waits for a decision.
        case parked
        /// This parked entry, or one that waits for it, is before it.
        case behind(Int)
        /// This entry is sent first.
        case earlier(Int)
    }

    /// Calls `body` for each entry with the reason that holds it, nil when it is its turn, until it returns false. An
    /// entry that is being sent has its turn.
    ///
    /// - Parameter endsWithTurns: whether the walk also ends where no other entry can have its turn.
    func walkTurns(endsWithTurns: Bool = false, _ body: (_ index: Int, _ hold: Blocker?) -> Bool) {
        var walk = TurnWalk(entries)
        for index in entries.indices {
            // Lanes are per account: an entry never waits for one of an account that is not signed in.
            let isAllowed = authentication.allows(entries[index].account)
            if !body(index, isAllowed ? walk.hold(of: entries[index], at: index) : .account) { return }
            walk.pass(entries[index].id, index)
            // Each lane has one turn.
            if endsWithTurns, walk.busyLanes.count == entries.laneCount { return }
        }
    }

    /// What the entries before one hold.
    private struct TurnWalk {
        /// The part of a lane that a parked entry holds.
        struct ParkedScope: Hashable {
            let lane: String
            let scope: LaneEntry.Scope

            init(_ entry: borrowing LaneEntry) {
                lane = entry.lane
                scope = entry.scope
            }
        }

        var busyLanes: [String: Int] = [:]
        var parked: [ParkedScope: Int] = [:]
        var blocked: [UUIDBytes: Int] = [:]
        /// The entries that others come after: those alone are looked up.
        let awaited: Set<UUIDBytes>
        // An entry waits only for earlier ones, so that no two can wait for each other.
        var earlier: [UUIDBytes: Int] = [:]

        init(_ entries: EntryList) { awaited = entries.hasDependents ? Set(entries.lazy.flatMap(\.after)) : [] }

        /// Returns what holds an entry of the account, and notes what it holds.
        mutating func hold(of entry: borrowing LaneEntry, at index: Int) -> Blocker? {
            // An entry that waits for a parked one counts as parked itself: the lane must not wait for it.
            var blocker = entry.isLive ? nil : index
            if blocker == nil, !parked.isEmpty {
                blocker = parked[ParkedScope(entry)] ?? entry.after.lazy.compactMap { [blocked] in blocked[$0] }.first
            }
            if let blocker {
                if parked[ParkedScope(entry)] == nil { parked[ParkedScope(entry)] = blocker }
                blocked[entry.id] = blocker
                return entry.isLive ? .behind(blocker) : .parked
            }
            let first = busyLanes[entry.lane] ?? entry.after.lazy.compactMap { [earlier] in earlier[$0] }.first
            if busyLanes[entry.lane] == nil { busyLanes[entry.lane] = index }
            return first.map { .earlier($0) }
        }

        /// Notes that an entry is before the ones to come.
        mutating func pass(_ id: UUIDBytes, _ index: Int) {
            if !awaited.isEmpty, awaited.contains(id) { earlier[id] = index }
        }
    }

    /// Returns the reason why each of these entries is not accepted yet, by its id.
    ///
    /// - Parameters:
    ///   - entries: all of the outbox; their bodies and header fields are not read.
    ///   - authentication: the authentication state.
    ///   - wait: the end of the wait that their server requested, in milliseconds since 1970-01-01 UTC.
    package static func waitReasons(
        of entries: [OutboxEntry], authentication: AuthenticationState, serverWait wait: Int64?
    ) -> [UUIDBytes: WaitReason] {
        var machine = DeliveryMachine(policy: OutboxPolicy(), authentication: authentication, seed: 0)
        machine.entries = EntryList(entries.lazy.map { LaneEntry($0) }.filter { $0.delivery.state != .rejected })
        var reasons = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, WaitReason.rejected) })
        machine.walkTurns { index, hold in
            let entry = machine.entries[index]
            reasons[entry.id] = machine.reason(entry, hold, wait)
            return true
        }
        return reasons
    }

    private func reason(_ entry: LaneEntry, _ hold: Blocker?, _ wait: Int64?) -> WaitReason {
        switch entry.delivery.state {
        case .sending: return .response
        case .failed: return .failed(retryAt: entry.delivery.dueAt)
        case .unresolved: return .unresolved
        case .conflicted: return .conflict
        case .rejected: return .rejected
        case .pending, .waiting: break
        }
        switch hold {
        case .account: return .account(entry.account)
        case .behind(let index): return .behind(entries[index].id)
        case .earlier(let index): return .earlier(entries[index].id)
        case .parked, nil: break
        }
        if case .expired(let account) = authentication { return .signIn(account) }
        let due = [entry.delivery.state == .waiting ? entry.delivery.dueAt : nil, wait].compactMap { $0 }.max()
        return due.map { .time($0) } ?? .turn
    }
}
