internal import LarderFormat
internal import LarderStore
package import LarderTransport

// The requests to begin, and the times to wait for.
extension DeliveryMachine {
    mutating func schedule(_ reading: ClockReading, _ freshKey: UUIDBytes) {
        if isStopping { return arm(nil) }
        if let until = storageRetryTime, until <= reading.elapsed { storageRetryTime = nil }
        if storageRetryTime == nil {
            expediteRetries(reading)
            followClock(reading)
            reviveDue(reading)
            requestSignIn(reading)
            markForgottenUnresolved(reading)
            startDue(reading, freshKey)
        }
        arm(nextWake(reading))
    }

    private mutating func requestSignIn(_ reading: ClockReading) {
        guard case .expired(let account) = authentication, isOnline else { return }
        switch signIn {
        case .requested: return
        case .waiting(let time) where time > reading.elapsed: return
        case .idle, .waiting:
            signIn = .requested
            step.effects.append(.signIn(account))
        }
    }

    /// Leaves to the host what the server may have performed and forgotten, instead of sending it again.
    private mutating func markForgottenUnresolved(_ reading: ClockReading) {
        guard entries.touched.contains(where: { isForgotten(entries[$0], reading) }) else { return }
        // When one entry is parked it may be another's turn.
        while let index = ready(at: reading).lazy.compactMap(index)
            .first(where: { isForgotten(entries[$0], reading) })
        {
            markUnresolved(index)
        }
    }

    private mutating func startDue(_ reading: ClockReading, _ freshKey: UUIDBytes) {
        if serverPauseEnd(reading) != nil { return }
        var free = sendLimit - activeTries.count
        dissolveBrokenBatches(reading)
        while free > 0, let request = nextTry(reading, freshKey) {
            begin(request, reading)
            free -= 1
        }
    }

    /// Dissolves batches of which some members may be sent again and some may not.
    private mutating func dissolveBrokenBatches(_ reading: ClockReading) {
        guard hasBatches else { return }
        let ready = Set(ready(at: reading))
        for index in entries.touched where ready.contains(entries[index].id) {
            guard let batch = entries[index].delivery.batch else { continue }
            let isWhole = members(of: batch).allSatisfy(ready.contains)
            if !isWhole { dissolveBatch(of: index) }
        }
    }

    private mutating func begin(_ request: DeliveryTry, _ reading: ClockReading) {
        activeTries.insert(request.key)
        for id in request.entries {
            guard let index = index(id) else { continue }
            entries[index].due = nil
            entries[index].notBefore = nil
            let delivery = entries[index].delivery
            // The server does not remember an entry whose tries all got a response.
            let isFirst = !delivery.isInDoubt || delivery.firstTriedAt == nil
            if isFirst { entries[index].firstTried = reading.elapsed }
            update(index) {
                $0.state = .sending
                $0.tries = $0.tries.incremented
                if isFirst { $0.firstTriedAt = reading.now }
                $0.lastTriedAt = reading.now
                $0.dueAt = nil
                $0.batch = request.isBatch ? request.key : nil
            }
            report(.sending(id))
        }
        step.effects.append(.send(request))
    }

    /// Returns the next request to begin: a batch that is sent again, a new batch, or a single entry.
    private func nextTry(_ reading: ClockReading, _ freshKey: UUIDBytes) -> DeliveryTry? {
        guard let id = ready(at: reading, upTo: 1).first, let index = index(id) else { return nil }
        if let batch = entries[index].delivery.batch {
            return DeliveryTry(key: batch, entries: members(of: batch), isBatch: true)
        }
        guard let batch = policy.batch, !hasUnreadableBatch, !hasBatches else {
            return DeliveryTry(key: id, entries: [id], isBatch: false)
        }
        let isReady = Set(ready(at: reading))
        let members = entries.filter { isReady.contains($0.id) && $0.isBatchable && !$0.delivery.isUnbatched }
        // An entry that is to be sent alone is not delayed by entries that can travel in a batch.
        guard members.count > 1, members.contains(where: { $0.id == id }) else {
            return DeliveryTry(key: id, entries: [id], isBatch: false)
        }
        return DeliveryTry(key: freshKey, entries: members.prefix(batch.mostEntries).map(\.id), isBatch: true)
    }

    private var hasBatches: Bool { entries.touched.contains { entries[$0].delivery.batch != nil } }

    private func members(of batch: UUIDBytes) -> [UUIDBytes] {
        entries.touched.map { entries[$0] }.filter { $0.delivery.batch == batch }.map(\.id)
    }

    /// Returns the first entries whose turn it is and that are due, in the order of their sequences.
    func ready(at reading: ClockReading, upTo limit: Int = .max) -> [UUIDBytes] {
        var ready: [UUIDBytes] = []
        walkOwnTurns { index in
            if entries[index].isDue(at: reading), !isUnderWay(index) { ready.append(entries[index].id) }
            return ready.count < limit
        }
        return ready
    }

    /// Whether a request for an entry is under way, even a cancelled one: its result comes before another begins.
    private func isUnderWay(_ index: Int) -> Bool { activeTries.contains(entries[index].tryKey) }

    /// Returns the indices of the entries that nothing but time keeps from being sent.
    func turns() -> [Int] {
        var turns: [Int] = []
        walkOwnTurns { index in
            turns.append(index)
            return true
        }
        return turns
    }

    /// Calls `body` with the indices of ``turns()`` until it returns false.
    private func walkOwnTurns(_ body: (_ index: Int) -> Bool) {
        guard isOnline, !isStopping, case .signedIn = authentication else { return }
        walkTurns(endsWithTurns: true) { index, hold in hold == nil ? body(index) : true }
    }

    /// Returns when something becomes due that no other event announces.
    private func nextWake(_ reading: ClockReading) -> Duration? {
        if let storageRetryTime { return storageRetryTime }
        if case .expired = authentication, isOnline, case .waiting(let time) = signIn { return time }
        return tries(reading).filter { $0 > reading.elapsed }.min()
    }

    /// Returns when entries are tried that wait for a time: by turn, and by automatic revival.
    func tries(_ reading: ClockReading) -> [Duration] {
        let byServer = serverPauseEnd(reading)
        // Otherwise it is no entry's turn that waits for a time.
        let hasWaits = byServer != nil || entries.touched.contains { entries[$0].delivery.state == .waiting }
        let waits = (hasWaits ? turns() : []).filter { entries[$0].delivery.state != .sending }.compactMap { index in
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
    package func isLive(at reading: ClockReading) -> Bool {
        if isStopping { return true }
        if let storageRetryTime { return armed.map { $0 <= storageRetryTime } ?? false }
        if case .expired = authentication, isOnline {
            switch signIn {
            case .idle: return false
            case .requested: return true
            case .waiting(let time): return armed.map { $0 <= time } ?? false
            }
        }
        for index in revivals() {
            guard let due = entries[index].due, let armed, armed <= due else { return false }
        }
        let isFull = activeTries.count >= sendLimit
        let byServer = serverPauseEnd(reading)
        for index in turns() where entries[index].delivery.state != .sending && !isUnderWay(index) {
            let own = entries[index].delivery.state == .waiting ? entries[index].due : nil
            let due = [own, byServer].compactMap { $0 }.max()
            // The timer may be due, and not have fired yet.
            if let due, let armed, armed <= due { continue }
            if !isFull || due.map({ $0 > reading.elapsed }) == true { return false }
        }
        return true
    }
}
