import LarderFormat
import LarderOutbox
import LarderStore

// What holds in every state; written from docs/internals/outbox.md, apart from the machine.
extension OutboxWorld {
    /// A request that is about to be sent.
    func checkSend(_ flight: Flight) throws {
        let places = flight.entries.map(Configuration.place)
        guard air.count < configuration.policy.concurrentSends else {
            throw Violation(description: "too many requests")
        }
        guard isUp, isSignedIn else { throw Violation(description: "sent while offline or signed out") }
        guard !air.contains(where: { !Set($0.entries).isDisjoint(with: flight.entries) }) else {
            throw Violation(description: "an entry is sent twice at the same time")
        }
        guard flight.isBatch || flight.key == flight.entries.first else {
            throw Violation(description: "sent under another key")
        }
        if flight.isBatch, air.contains(where: \.isBatch) { throw Violation(description: "two batches at a time") }
        for place in places {
            guard let delivery = delivery(place), delivery.state == .sending,
                delivery.batch == (flight.isBatch ? flight.key : nil)
            else { throw Violation(description: "\(place) is sent, and that is not stored") }
            guard configuration.entries[place].account == account else {
                throw Violation(description: "\(place) is sent as another account")
            }
            if let holder = holder(of: place) { throw Violation(description: "\(place) is sent before \(holder)") }
            if let memory = configuration.memory, let time = appliedAt[place], now - time >= memory * 1000 {
                throw Violation(description: "\(place) is sent again after the server has forgotten it")
            }
        }
    }

    /// An entry that has to leave first.
    private func holder(of place: Int) -> Int? {
        let mine = configuration.entries[place]
        return slots.indices.first { other in
            guard let delivery = delivery(other), delivery.state != .rejected,
                configuration.sequence(other) < configuration.sequence(place)
            else { return false }
            if after[place].contains(other) { return true }
            let theirs = configuration.entries[other]
            guard theirs.lane == mine.lane, theirs.account == mine.account else { return false }
            switch delivery.state {
            case .pending, .sending, .waiting: return true
            case .failed, .unresolved, .conflicted: return theirs.entity == mine.entity
            case .rejected: return false
            }
        }
    }

    /// What holds between any two events.
    func check() throws {
        guard timer == machine.armed else { throw Violation(description: "the timer is another than the machine's") }
        guard machine.isLive(at: moment) else { throw Violation(description: "the machine says that it stands still") }
        try checkLiveness()
        let isAsked = machine.signIn == .asked
        guard isAsked == isAskedToSignIn else { throw Violation(description: "nobody was asked to sign in") }
        for place in applied {
            if case .stored(let delivery) = slots[place], delivery.state == .rejected, isRefusedByItself(place) {
                throw Violation(description: "\(place) is a dead letter, and the server has it")
            }
        }
        guard !machine.isUnrecovered else { return }
        let stored = slots.indices.filter { !unheard.contains($0) && delivery($0) != nil }
            .filter { delivery($0)?.state != .rejected }
        let known = machine.entries.filter { slots[Configuration.place($0.id)] != .accepted }
        guard stored.count == known.count, stored.allSatisfy({ place in isKnown(place) }) else {
            throw Violation(description: "the machine knows other entries than the store holds")
        }
    }

    private func isRefusedByItself(_ place: Int) -> Bool { refused.contains(place) }

    private func isKnown(_ place: Int) -> Bool {
        machine.entries.contains { $0.id == Configuration.id(place) && $0.delivery == delivery(place) }
    }

    /// Due and online: under way, or a timer is armed that is not too late.
    private func checkLiveness() throws {
        if case .expired = machine.gate, isUp, timer == nil, !isAskedToSignIn {
            throw Violation(description: "expired, and nobody is asked to sign in")
        }
        guard isUp, case .signedIn = machine.gate, isSignedIn else { return }
        if let held = machine.heldUntil {
            guard let timer, timer <= held else { throw Violation(description: "held for good") }
            return
        }
        guard air.count < configuration.policy.concurrentSends else { return }
        for place in slots.indices where !unheard.contains(place) {
            guard configuration.entries[place].account == account, let delivery = delivery(place),
                holder(of: place) == nil
            else { continue }
            switch delivery.state {
            case .pending: throw Violation(description: "\(place) is due and nothing happens")
            case .waiting:
                let due = elapsed + .milliseconds((delivery.dueAt ?? now) - now)
                guard let timer, timer <= due else {
                    throw Violation(description: "\(place) will be due and no timer is armed")
                }
            case .sending where !air.contains(where: { $0.entries.contains(Configuration.id(place)) }):
                throw Violation(description: "\(place) is taken for being sent")
            case .sending, .failed, .unresolved, .rejected, .conflicted: break
            }
        }
    }

    /// Nothing that could go on is left once everything has gone well for a while.
    func checkEnd() throws {
        for place in slots.indices {
            guard let delivery = delivery(place), configuration.entries[place].account == account else { continue }
            switch delivery.state {
            case .failed, .unresolved, .conflicted, .rejected: continue
            case .pending, .waiting, .sending:
                guard hasParkedHolder(place) else {
                    throw Violation(description: "in fair weather \(place) stays behind: \(delivery.state)")
                }
            }
        }
    }

    private func hasParkedHolder(_ place: Int) -> Bool {
        guard let holder = holder(of: place), let delivery = delivery(holder) else { return false }
        switch delivery.state {
        case .failed, .unresolved, .conflicted: return true
        case .pending, .waiting, .sending:
            return configuration.entries[holder].account != account || hasParkedHolder(holder)
        case .rejected: return false
        }
    }
}
