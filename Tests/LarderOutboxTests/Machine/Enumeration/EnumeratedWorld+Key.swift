// EnumeratedWorld+Key: a compact key that is equal for equal states.

import LarderFormat
import LarderOutbox
import LarderStore

extension EnumeratedWorld {
    /// All that decides what may happen from here on: times are relative to now, and counts end where they do not matter any more. Two
    /// worlds of one key have the same future.
    var key: [UInt8] {
        var key = remains
        for entry in machine.entries {
            let place = Configuration.place(entry.id)
            key.append(UInt8(100 + place))
            if entry.delivery != delivery(place) { append(entry.delivery, to: &key) }
            key.append(remaining(entry.due))
            key.append(remaining(entry.notBefore))
            if let memory = configuration.memory, entry.delivery.isInDoubt || entry.delivery.state == .sending {
                key.append(entry.firstTried.map { UInt8(min((elapsed - $0).components.seconds, memory)) } ?? 255)
            }
        }
        key.append(241)
        key.append(unseen.map(mask) ?? 255)
        for event in unstored { append(event, to: &key) }
        key.append(remaining(timer))
        key.append(remaining(machine.serverWait))
        appendConditions(to: &key)
        return key
    }

    /// The part of the key that outlives the process: the store, the server, the requests in the air and the conditions. Two worlds of
    /// the same remains have the same future after a crash.
    var remains: [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(128)
        for slot in slots {
            switch slot {
            case .absent: key.append(250)
            case .accepted: key.append(251)
            case .removed: key.append(252)
            case .stored(let delivery): append(delivery, to: &key)
            }
        }
        for list in after {
            key.append(240)
            for place in list { key.append(UInt8(place)) }
        }
        for attempt in openAttempts {
            key.append(242)
            key.append(UInt8(attempt.key.high) << 7 | UInt8(attempt.key.low))
            for id in attempt.entries { key.append(UInt8(Configuration.place(id))) }
        }
        key.append(UInt8(late.count))
        for place in late { key.append(UInt8(place)) }
        key.append(mask(applied))
        key.append(mask(refused))
        key.append(remaining(serverWaitEnd))
        key.append(remaining(storedWait))
        key.append(UInt8(wallOffset / 1000))
        if let memory = configuration.memory {
            for place in slots.indices {
                key.append(appliedAt[place].map { UInt8(min((serverNow - $0) / 1000, memory)) } ?? 255)
            }
        }
        key.append(UInt8(configuration.accounts.firstIndex(of: account) ?? 0))
        key.append(bit(isUp, 0) | bit(isSignedIn, 1))
        return key
    }

    private func appendConditions(to key: inout [UInt8]) {
        key.append(
            bit(isSignInRequested, 0) | bit(machine.isAtStart, 1) | bit(machine.hasUnreadableBatch, 2)
                | bit(machine.throttles > 0, 3))
        key.append(machine.network.map { bit($0, 0) } ?? 2)
        switch machine.authentication {
        case .signedIn: key.append(0)
        case .expired: key.append(1)
        case .signedOut: key.append(2)
        }
        switch machine.signIn {
        case .idle: key.append(254)
        case .requested: key.append(253)
        case .waiting(let time): key.append(remaining(time))
        }
        // The first refusal is followed by no wait.
        key.append(UInt8(min(machine.credentialRefusals, configuration.failuresThatMatter + 1)))
        key.append(UInt8(min(machine.storageFailures, configuration.failuresThatMatter)))
        key.append(remaining(machine.storageRetryTime))
        key.append(remaining(machine.refusalWait))
        key.append(UInt8(min(machine.refusedLanes.count, 3)))
        key.append(machine.retryScope.map { $0 == .allFailures ? 1 : 2 } ?? 0)
        if machine.earlierTries.isEmpty { return }
        for attempt in machine.earlierTries.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
            key.append(UInt8(attempt.high) << 7 | UInt8(attempt.low))
        }
    }

    private func append(_ event: DeliveryEvent, to key: inout [UInt8]) {
        key.append(243)
        key += Array("\(event)".utf8)
    }

    private func append(_ delivery: OutboxDelivery, to key: inout [UInt8]) {
        key.append(number(delivery.state))
        // A dead letter stays as it is.
        if delivery.state == .rejected { return }
        // While one is left unresolved by an unread batch, no other is formed.
        let isLeftUnread = delivery.state == .unresolved && delivery.lastError?.hasSuffix("without outcomes") == true
        key.append(bit(delivery.isInDoubt, 0) | bit(delivery.isUnbatched, 1) | bit(isLeftUnread, 2))
        // How often it has come back does not matter any more.
        key.append(UInt8(min(delivery.attempts, configuration.policy.mostAttempts + 1)))
        key.append(UInt8(min(delivery.failures, configuration.failuresThatMatter)))
        key.append(delivery.dueAt.map { UInt8(max(0, $0 - now) / 1000) } ?? 255)
        key.append(UInt8(delivery.batch?.low ?? 0))
        if let memory = configuration.memory, delivery.isInDoubt || delivery.state == .sending {
            for time in [delivery.firstTriedAt, delivery.lastTriedAt] {
                // Up to five seconds of it may lie ahead.
                key.append(UInt8(min((now - (time ?? now)) / 1000, memory) + 5))
            }
        }
    }

    private func remaining(_ time: Duration?) -> UInt8 {
        guard let time else { return 255 }
        return UInt8(max(0, (time - elapsed).components.seconds))
    }

    private func number(_ state: OutboxDelivery.State) -> UInt8 {
        switch state {
        case .pending: 0
        case .sending: 1
        case .waiting: 2
        case .failed: 3
        case .unresolved: 4
        case .rejected: 5
        case .conflicted: 6
        }
    }

    private func mask(_ places: Set<Int>) -> UInt8 {
        var mask: UInt8 = 0
        for place in places { mask |= 1 << UInt8(place) }
        return mask
    }

    private func bit(_ flag: Bool, _ place: UInt8) -> UInt8 { flag ? 1 << place : 0 }
}
