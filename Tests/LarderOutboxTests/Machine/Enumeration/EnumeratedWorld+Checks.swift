// EnumeratedWorld+Checks: the invariants of every state, written from docs/internals/outbox.md.

import LarderFormat
import LarderOutbox
import LarderStore
import LarderTransport

// What holds in every state; written from docs/internals/outbox.md, apart from the machine.
extension EnumeratedWorld {
    /// A request that is about to be sent.
    func checkSend(_ attempt: DeliveryTry) throws {
        let places = attempt.entries.map(Configuration.place)
        if let serverWaitEnd, elapsed < serverWaitEnd {
            throw Violation(description: "sent during the wait that the server requested")
        }
        guard openAttempts.count < configuration.policy.concurrentSends else {
            throw Violation(description: "too many requests")
        }
        guard isUp, isSignedIn else { throw Violation(description: "sent while offline or signed out") }
        guard !openAttempts.contains(where: { !Set($0.entries).isDisjoint(with: attempt.entries) }) else {
            throw Violation(description: "an entry is sent twice at the same time")
        }
        guard attempt.isBatch || attempt.key == attempt.entries.first else {
            throw Violation(description: "sent under another key")
        }
        if attempt.isBatch, openAttempts.contains(where: \.isBatch) {
            throw Violation(description: "two batches at a time")
        }
        for place in places {
            guard let delivery = delivery(place), delivery.state == .sending,
                delivery.batch == (attempt.isBatch ? attempt.key : nil)
            else { throw Violation(description: "\(place) is sent, and that is not stored") }
            guard configuration.entries[place].account == account else {
                throw Violation(description: "\(place) is sent as another account")
            }
            if let holder = blocker(of: place) { throw Violation(description: "\(place) is sent before \(holder)") }
            if let memory = configuration.memory, let time = appliedAt[place], serverNow - time >= memory * 1000 {
                throw Violation(description: "\(place) is sent again after the server has forgotten it")
            }
        }
    }

    /// What cannot be sent waits for somebody; of a batch nobody knows yet which member it is.
    func checkParked(_ attempt: DeliveryTry) throws {
        for place in attempt.entries.map(Configuration.place) {
            guard let delivery = delivery(place) else { continue }
            if attempt.isBatch ? delivery.batch == attempt.key : delivery.state != .failed {
                throw Violation(description: "\(place) cannot be sent, and is \(delivery.state)")
            }
        }
    }

    /// An entry that has to leave first.
    func blocker(of place: Int) -> Int? {
        slots.indices.first { other in
            guard isEarlier(other, than: place) else { return false }
            if after[place].contains(other) { return true }
            guard isInLane(other, of: place) else { return false }
            return !isStuck(other) || isSameEntity(other, place)
        }
    }

    /// Whether an entry waits for somebody to act, or for one that does.
    private func isStuck(_ place: Int) -> Bool {
        switch delivery(place)?.state {
        case .failed, .unresolved, .conflicted: return true
        default: break
        }
        return slots.indices.contains { other in
            guard isEarlier(other, than: place), isStuck(other) else { return false }
            return after[place].contains(other) || (isInLane(other, of: place) && isSameEntity(other, place))
        }
    }

    private func isEarlier(_ other: Int, than place: Int) -> Bool {
        isInOutbox(other) && configuration.sequence(other) < configuration.sequence(place)
    }

    private func isInLane(_ other: Int, of place: Int) -> Bool {
        let (mine, theirs) = (configuration.entries[place], configuration.entries[other])
        return theirs.lane == mine.lane && theirs.account == mine.account
    }

    private func isSameEntity(_ other: Int, _ place: Int) -> Bool {
        configuration.entries[other].entity == configuration.entries[place].entity
    }

    /// What holds between any two events.
    func check() throws {
        guard timer == machine.armed else { throw Violation(description: "the timer is another than the machine's") }
        guard machine.isLive(at: reading) else { throw Violation(description: "the machine says that it stands still") }
        try checkLiveness()
        try checkFlights()
        let isRequested = machine.signIn == .requested
        guard isRequested == isSignInRequested else {
            throw Violation(description: "nobody was asked to sign in")
        }
        for place in applied {
            if case .stored(let delivery) = slots[place], delivery.state == .rejected, refused.contains(place) {
                throw Violation(description: "\(place) is a dead letter, and the server has it")
            }
        }
        for place in slots.indices where isInOutbox(place) && unseen?.contains(place) == false {
            let known = machine.entries.first { $0.id == Configuration.id(place) }
            guard known?.delivery == delivery(place) else {
                throw Violation(description: "of \(place) the machine knows something else than the store holds")
            }
        }
    }

    /// What is under way for the machine is in the air, or was answered and could not be stored.
    private func checkFlights() throws {
        let answered = unstored.compactMap { if case .tryEnded(let key, _) = $0 { key } else { nil } }
        guard machine.activeTries == Set(openAttempts.map(\.key) + answered) else {
            throw Violation(description: "something else is under way than the machine thinks")
        }
    }

    private func isInOutbox(_ place: Int) -> Bool { delivery(place).map { $0.state != .rejected } ?? false }

    /// Due and online: under way, or a timer is armed that is not too late.
    private func checkLiveness() throws {
        if case .expired = machine.authentication, isUp, timer == nil, !isSignInRequested {
            throw Violation(description: "expired, and nobody is asked to sign in")
        }
        guard isUp, case .signedIn = machine.authentication, isSignedIn else { return }
        if let held = machine.storageRetryTime {
            guard let timer, timer <= held else { throw Violation(description: "held for good") }
            return
        }
        guard openAttempts.count < configuration.policy.concurrentSends else { return }
        let peace = serverWaitEnd.flatMap { $0 > elapsed ? $0 : nil }
        for place in slots.indices where unseen?.contains(place) == false {
            guard configuration.entries[place].account == account, let delivery = delivery(place),
                blocker(of: place) == nil
            else { continue }
            switch delivery.state {
            case .pending where peace != nil:
                guard let timer, timer <= peace ?? .zero else {
                    throw Violation(description: "\(place) waits for the server, and no timer is armed")
                }
            case .pending: throw Violation(description: "\(place) is due and nothing happens")
            case .waiting:
                // Where the clock jumps it says nothing of waits but that none is longer than the longest and the jump.
                let own =
                    configuration.eventOptions.contains(.clock)
                    ? configuration.policy.retry.limit + .seconds(5) : .milliseconds((delivery.dueAt ?? now) - now)
                guard let timer, timer <= max(elapsed + own, peace ?? .zero) else {
                    throw Violation(description: "\(place) will be due and no timer is armed")
                }
            case .sending where !machine.activeTries.contains(delivery.batch ?? Configuration.id(place)):
                throw Violation(description: "\(place) is taken for being sent")
            case .failed where delivery.dueAt != nil:
                guard timer != nil else { throw Violation(description: "\(place) does not come back") }
            case .sending, .failed, .unresolved, .rejected, .conflicted: break
            }
        }
    }

    /// Nothing that could go on is left once everything has gone well for a while.
    func checkEnd() throws {
        for place in slots.indices {
            guard let delivery = delivery(place), configuration.entries[place].account == account else { continue }
            switch delivery.state {
            case .failed where delivery.dueAt != nil:
                throw Violation(description: "in fair weather \(place) does not come back")
            case .failed, .unresolved, .conflicted, .rejected: continue
            case .pending, .waiting, .sending:
                guard isStuck(place) || isHeldByAnother(place) else {
                    throw Violation(description: "in fair weather \(place) stays behind: \(delivery.state)")
                }
            }
        }
    }

    private func isHeldByAnother(_ place: Int) -> Bool {
        blocker(of: place).map { configuration.entries[$0].account != account } ?? false
    }
}
