internal import LarderFormat
internal import LarderStore
package import LarderTransport

extension DeliveryMachine {
    /// Returns the numbers of entries by state, and the reasons why they are not sent.
    package func status(at reading: ClockReading) -> OutboxStatus {
        var status = OutboxStatus()
        let touched = entries.touched.map { entries[$0] }
        status.pending = entries.count - touched.count
        for entry in touched {
            switch entry.delivery.state {
            case .pending: status.pending += 1
            case .sending: status.sending += 1
            case .waiting: status.waiting += 1
            case .failed: status.failed += 1
            case .unresolved: status.unresolved += 1
            case .conflicted: status.conflicted += 1
            case .rejected: break
            }
        }
        status.rejected = rejected.count
        status.oldestCreatedAt = entries.oldestCreatedAt
        status.nextTryAt = tries(reading).min().map { time in
            // A revival that falls into a wait for the server is sent after it.
            reading.date(of: max(time, serverPauseEnd(reading) ?? .zero, reading.elapsed))
        }
        status.lastError = touched.lazy.map(\.delivery).first { $0.state == .waiting || $0.state == .failed }?.lastError
        status.pauses = pauses(reading)
        status.isRunning = !isStopping
        return status
    }

    private func pauses(_ reading: ClockReading) -> [PauseReason] {
        let touched = entries.touched.map { entries[$0] }
        let busy = touched.filter { !$0.isLive || $0.delivery.state == .sending }
        if busy.count == entries.count { return [] }
        var reasons: [PauseReason] = []
        if storageRetryTime != nil { reasons.append(.storage) }
        if !isOnline { reasons.append(.offline) }
        if isInServerWait(reading), let serverWait {
            reasons.append(.serverWait(until: reading.date(of: serverWait)))
        }
        if isIntercepted { reasons.append(.intercepted) }
        if isRefusing { reasons.append(.refusals(refusedLanes.count)) }
        switch authentication {
        case .signedOut: reasons.append(.signedOut)
        case .expired(let account): reasons.append(.signInExpired(account: account))
        case .signedIn:
            let foreign = entries.accounts.reduce(-busy.count { !authentication.allows($0.account) }) { sum, account in
                let name = account.key.map { String(decoding: $0, as: UTF8.self) }
                return authentication.allows(name) ? sum : sum + account.value
            }
            if foreign > 0 { reasons.append(.otherAccounts(foreign)) }
            // An entry behind one that is being sent, or will be, only waits for its turn.
            guard isOnline, entries.hasDependents || busy.contains(where: { !$0.isLive }) else { break }
            let moving = Set(turns().map { entries[$0].lane })
            let blocked = entries.count { entry in
                entry.isLive && entry.delivery.state != .sending && authentication.allows(entry.account)
                    && !moving.contains(entry.lane)
            }
            if blocked > 0 { reasons.append(.blocked(blocked)) }
        }
        return reasons
    }
}
