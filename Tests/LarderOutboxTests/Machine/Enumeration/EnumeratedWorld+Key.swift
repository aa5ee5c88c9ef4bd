import LarderFormat
import LarderOutbox
import LarderStore

extension EnumeratedWorld {
    /// What decides all that may happen from here on: times are relative to now, and counts end where they do not matter any
    /// more. Two worlds of one key have the same future.
    var key: [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(96)
        for slot in slots {
            switch slot {
            case .absent: key.append(250)
            case .accepted: key.append(251)
            case .removed: key.append(252)
            case .stored(let delivery): append(delivery, to: &key)
            }
        }
        for entry in machine.entries {
            let place = Configuration.place(entry.id)
            key.append(UInt8(100 + place))
            if entry.delivery != delivery(place) { append(entry.delivery, to: &key) }
            key.append(rest(entry.due))
            key.append(rest(entry.notBefore))
            if let memory = configuration.memory, entry.delivery.isInDoubt || entry.delivery.state == .sending {
                key.append(entry.firstTried.map { UInt8(min((elapsed - $0).components.seconds, memory)) } ?? 255)
            }
        }
        for list in after { key += [240] + list.map { UInt8($0) } }
        key += [241] + unheard.map { UInt8($0) }
        for flight in air {
            key += [242, UInt8(flight.key.high) << 7 | UInt8(flight.key.low)]
            key += flight.entries.map { UInt8(Configuration.place($0)) }
        }
        key += [243] + late.map { UInt8($0) }
        key += [mask(applied), mask(refused), rest(timer)]
        key += [rest(askedUntil), rest(storedWait), rest(machine.serverWait), machine.throttles > 0 ? 1 : 0]
        key += [UInt8(wallOffset / 1000)]
        if let memory = configuration.memory {
            for place in slots.indices {
                key.append(appliedAt[place].map { UInt8(min((serverNow - $0) / 1000, memory)) } ?? 255)
            }
        }
        appendConditions(to: &key)
        return key
    }

    private func appendConditions(to key: inout [UInt8]) {
        key.append(UInt8(configuration.accounts.firstIndex(of: account) ?? 0))
        key.append(bits([isUp, isSignedIn, isAskedToSignIn, machine.isUnrecovered, machine.isAnswerUnconfirmed]))
        key.append(bits([machine.isAtStart, machine.isBatchUnread]))
        key.append(machine.network.map { $0 ? 1 : 0 } ?? 2)
        switch machine.gate {
        case .signedIn: key.append(0)
        case .expired: key.append(1)
        case .signedOut: key.append(2)
        }
        switch machine.signIn {
        case .idle: key.append(254)
        case .asked: key.append(253)
        case .waiting(let time): key.append(rest(time))
        }
        // The first refusal is followed by no wait.
        key.append(UInt8(min(machine.refusals, configuration.failuresThatMatter + 1)))
        key.append(UInt8(min(machine.storageFailures, configuration.failuresThatMatter)))
        key.append(rest(machine.heldUntil))
        key.append(mask(Set(machine.refused.map(Configuration.place))))
        for flight in machine.earlierFlights.sorted(by: { ($0.high, $0.low) < ($1.high, $1.low) }) {
            key.append(UInt8(flight.high) << 7 | UInt8(flight.low))
        }
    }

    private func append(_ delivery: OutboxDelivery, to key: inout [UInt8]) {
        let states = OutboxDelivery.State.allCases
        key.append(UInt8(states.firstIndex(of: delivery.state) ?? 0))
        // A dead letter stays as it is.
        if delivery.state == .rejected { return }
        key.append(bits([delivery.isInDoubt, delivery.isAlone]))
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

    private func rest(_ time: Duration?) -> UInt8 {
        guard let time else { return 255 }
        return UInt8(max(0, (time - elapsed).components.seconds))
    }

    private func mask(_ places: Set<Int>) -> UInt8 { places.reduce(0) { $0 | 1 << UInt8($1) } }

    private func bits(_ flags: [Bool]) -> UInt8 { flags.reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
}
