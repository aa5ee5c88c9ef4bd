internal import LarderFormat
internal import LarderStore
package import LarderTransport

// The requests to begin, and the times to wait for.
extension DeliveryMachine {
    mutating func schedule(_ moment: Moment, _ freshKey: UUIDBytes) {
        if isStopping { return arm(nil) }
        if let until = heldUntil, until <= moment.elapsed { heldUntil = nil }
        if heldUntil == nil {
            hasten(moment)
            followClock(moment)
            reviveDue(moment)
            askForSignIn(moment)
            parkDoubtful(moment)
            startDue(moment, freshKey)
        }
        arm(nextWake(moment))
    }

    private mutating func askForSignIn(_ moment: Moment) {
        guard case .expired(let account) = gate, isOnline else { return }
        switch signIn {
        case .asked: return
        case .waiting(let time) where time > moment.elapsed: return
        case .idle, .waiting:
            signIn = .asked
            step.effects.append(.signIn(account))
        }
    }

    /// Leaves to the host what the server may have performed and forgotten, instead of sending it again.
    private mutating func parkDoubtful(_ moment: Moment) {
        guard entries.contains(where: { $0.delivery.isInDoubt && isForgotten($0.id, moment) }) else { return }
        // When one entry is parked it may be another's turn.
        while let id = ready(at: moment).first(where: { isForgotten($0, moment) }), let index = index(id) {
            leaveToHost(index)
        }
    }

    private mutating func startDue(_ moment: Moment, _ freshKey: UUIDBytes) {
        if pauseOfServer(moment) != nil { return }
        var free = sendLimit - flights.count
        dissolveBrokenBatches(moment)
        while free > 0, let flight = nextFlight(moment, freshKey) {
            begin(flight, moment)
            free -= 1
        }
    }

    /// Dissolves batches of which some members may be sent again and some may not.
    private mutating func dissolveBrokenBatches(_ moment: Moment) {
        guard entries.contains(where: { $0.delivery.batch != nil }) else { return }
        let ready = Set(ready(at: moment))
        for index in entries.indices where ready.contains(entries[index].id) {
            guard let batch = entries[index].delivery.batch else { continue }
            let isWhole = entries.allSatisfy { $0.delivery.batch != batch || ready.contains($0.id) }
            if !isWhole { dissolveBatch(of: index) }
        }
    }

    private mutating func begin(_ flight: Flight, _ moment: Moment) {
        flights.insert(flight.key)
        for id in flight.entries {
            guard let index = index(id) else { continue }
            entries[index].due = nil
            entries[index].notBefore = nil
            let delivery = entries[index].delivery
            // The server does not remember an entry whose tries all got a response.
            let isFirst = !delivery.isInDoubt || delivery.firstTriedAt == nil
            if isFirst { entries[index].firstTried = moment.elapsed }
            update(index) {
                $0.state = .sending
                $0.tries = $0.tries.incremented
                if isFirst { $0.firstTriedAt = moment.now }
                $0.lastTriedAt = moment.now
                $0.dueAt = nil
                $0.batch = flight.isBatch ? flight.key : nil
            }
            report(.sending(id))
        }
        step.effects.append(.send(flight))
    }

    /// Returns the next request to begin: a batch that is sent again, a new batch, or a single entry.
    private func nextFlight(_ moment: Moment, _ freshKey: UUIDBytes) -> Flight? {
        let ready = ready(at: moment)
        guard let id = ready.first, let index = index(id) else { return nil }
        if let batch = entries[index].delivery.batch {
            let members = entries.filter { $0.delivery.batch == batch }.map(\.id)
            return Flight(key: batch, entries: members, isBatch: true)
        }
        guard let batch = policy.batch, !isBatchUnread, !entries.contains(where: { $0.delivery.batch != nil }) else {
            return Flight(key: id, entries: [id], isBatch: false)
        }
        let isReady = Set(ready)
        let members = entries.filter { isReady.contains($0.id) && $0.isBatchable && !$0.delivery.isAlone }
        // An entry that is to be sent alone is not delayed by entries that can travel in a batch.
        guard members.count > 1, members.contains(where: { $0.id == id }) else {
            return Flight(key: id, entries: [id], isBatch: false)
        }
        return Flight(key: freshKey, entries: members.prefix(batch.mostEntries).map(\.id), isBatch: true)
    }

    /// Returns the entries whose turn it is and that are due, in the order of their sequences.
    func ready(at moment: Moment) -> [UUIDBytes] {
        turns().filter { entries[$0].isDue(at: moment) && !isUnderWay($0) }.map { entries[$0].id }
    }

    /// Whether a request for an entry is under way, even a cancelled one: its result comes before another begins.
    private func isUnderWay(_ index: Int) -> Bool { flights.contains(entries[index].flightKey) }

    /// Returns the indices of the entries that nothing but time keeps from being sent.
    func turns() -> [Int] {
        guard isOnline, !isStopping, case .signedIn = gate else { return [] }
        var turns: [Int] = []
        walkTurns { index, hold in
            if hold == nil { turns.append(index) }
        }
        return turns
    }

    /// Returns when something becomes due that no other event announces.
    private func nextWake(_ moment: Moment) -> Duration? {
        if let heldUntil { return heldUntil }
        if case .expired = gate, isOnline, case .waiting(let time) = signIn { return time }
        return tries(turns(), moment).filter { $0 > moment.elapsed }.min()
    }

    /// Returns when entries are tried that wait for a time: by turn, and by automatic revival.
    func tries(_ turns: [Int], _ moment: Moment) -> [Duration] {
        let byServer = pauseOfServer(moment)
        let waits = turns.filter { entries[$0].delivery.state != .sending }.compactMap { index in
            [byServer, entries[index].delivery.state == .waiting ? entries[index].due : nil].compactMap { $0 }.max()
        }
        return waits + revivals().compactMap { entries[$0].due }
    }

    private mutating func arm(_ time: Duration?) {
        guard time != armed else { return }
        armed = time
        step.effects.append(.arm(time))
    }

    /// Whether everything that may be sent is scheduled: it is under way, waits for the turn of an entry that is, or
    /// the timer is armed for it.
    package func isLive(at moment: Moment) -> Bool {
        if isStopping { return true }
        if let heldUntil { return armed.map { $0 <= heldUntil } ?? false }
        if case .expired = gate, isOnline {
            switch signIn {
            case .idle: return false
            case .asked: return true
            case .waiting(let time): return armed.map { $0 <= time } ?? false
            }
        }
        for index in revivals() {
            guard let due = entries[index].due, let armed, armed <= due else { return false }
        }
        let isFull = flights.count >= sendLimit
        let byServer = pauseOfServer(moment)
        for index in turns() where entries[index].delivery.state != .sending && !isUnderWay(index) {
            let own = entries[index].delivery.state == .waiting ? entries[index].due : nil
            let due = [own, byServer].compactMap { $0 }.max()
            // The timer may be due, and not have fired yet.
            if let due, let armed, armed <= due { continue }
            if !isFull || due.map({ $0 > moment.elapsed }) == true { return false }
        }
        return true
    }
}
