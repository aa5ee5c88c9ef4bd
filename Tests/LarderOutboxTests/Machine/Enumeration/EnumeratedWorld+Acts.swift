// EnumeratedWorld+Acts: the events that may happen in each state, and the states after them.

import LarderFormat
import LarderOutbox
import LarderStore

/// One thing that happens.
enum Act: Hashable {
    case enqueue(Int)
    case look
    case answer(Int, Reply)
    case timer
    case network(Bool)
    case signOut
    case signIn(String?)
    case signInFailed
    case foreground
    case clock(Int64)
    case crash
    case lateArrival(Int, arrives: Bool)
    case revive(Int)
    case discard(Int)
    case replace(Int, by: Int)
    case decide(Int, Decision)

    /// How a request ends.
    enum Reply: Hashable, CaseIterable {
        case performed, retryLater, tooManyRequests, credentials, refused, conflict, lostPerformed, lost, notSent,
            unsendable
        case gatewayPerformed, gateway
        case mixed, partialOutcomes, withoutOutcomes
    }
}

extension EnumeratedWorld {
    private typealias EventOptions = Configuration.EventOptions

    /// All that may happen next.
    var acts: [Act] {
        let options = configuration.eventOptions
        var acts: [Act] = []
        if let next = slots.indices.first(where: {
            slots[$0] == .absent && configuration.entries[$0].successorOf == nil
        }) {
            acts.append(.enqueue(next))
        }
        if unseen != [], !isHeld { acts.append(.look) }
        for index in openAttempts.indices { acts += replies(to: openAttempts[index]).map { .answer(index, $0) } }
        for place in late { acts += [.lateArrival(place, arrives: true), .lateArrival(place, arrives: false)] }
        if timer != nil { acts.append(.timer) }
        if options.contains(.network) || !isUp { acts.append(.network(!isUp)) }
        if options.contains(.session) {
            if isSignedIn { acts.append(.signOut) } else { acts += configuration.accounts.map { .signIn($0) } }
        }
        if case .expired = machine.authentication, isSignInRequested { acts += [.signIn(account), .signInFailed] }
        if options.contains(.foreground) { acts.append(.foreground) }
        if options.contains(.crash) { acts.append(.crash) }
        if options.contains(.clock) { acts.append(.clock(wallOffset == 0 ? 5000 : 0)) }
        for place in slots.indices { acts += userActs(place) }
        return acts
    }

    private func userActs(_ place: Int) -> [Act] {
        guard let delivery = delivery(place), unseen?.contains(place) == false else { return [] }
        var acts: [Act] = []
        switch delivery.state {
        // The host looks whether the server has it, and nothing may arrive behind its back.
        case .unresolved: if !late.contains(place) { acts += [.decide(place, .sendAgain), .decide(place, .rejected)] }
        case .conflicted:
            acts += [.revive(place), .discard(place)]
            if let successor = configuration.entries.firstIndex(where: { $0.successorOf == place }) {
                acts.append(.replace(place, by: successor))
            }
        case .failed: acts.append(.revive(place))
        case .waiting where configuration.eventOptions.contains(.userActions): acts.append(.revive(place))
        case .pending, .sending, .waiting, .rejected: break
        }
        if configuration.eventOptions.contains(.userActions), delivery.state != .sending, delivery.state != .rejected {
            acts.append(.discard(place))
        }
        // What the host says of the server has to be so.
        if delivery.state == .unresolved, applied.contains(place) { acts = [.decide(place, .accepted)] }
        return acts
    }

    private func replies(to attempt: DeliveryTry) -> [Act.Reply] {
        let places = attempt.entries.map(Configuration.place)
        return Act.Reply.allCases.filter { isPossible($0, places, attempt.isBatch) }
    }

    private func isPossible(_ reply: Act.Reply, _ places: [Int], _ isBatch: Bool) -> Bool {
        let options = configuration.eventOptions
        let isFresh = applied.isDisjoint(with: places)
        let isRefused = !refused.isDisjoint(with: places)
        switch reply {
        case .performed: return !isRefused
        case .refused:
            return isRefused || (isFresh && options.contains(.refusal))
        case .conflict: return options.contains(.conflict) && isFresh && !isRefused
        case .retryLater: return options.contains(.retry)
        case .tooManyRequests: return options.contains(.requestedWaits)
        case .credentials: return options.contains(.credentials)
        case .lost: return options.contains(.lost)
        case .lostPerformed: return options.contains(.lost) && !isRefused
        case .notSent: return options.contains(.notSent)
        case .unsendable: return options.contains(.unsendable)
        case .gateway: return options.contains(.gateway)
        case .gatewayPerformed: return options.contains(.gateway) && !isRefused
        case .mixed, .partialOutcomes: return isBatch && places.count > 1 && !isRefused
        case .withoutOutcomes: return isBatch && !isRefused
        }
    }

    /// The worlds that an act leads to.
    func after(_ act: Act, isCalm: Bool = false) throws -> [EnumeratedWorld] {
        var world = self
        switch act {
        case .enqueue(let place):
            world.slots[place] = .stored(OutboxDelivery())
            world.unseen?.insert(place)
            return [world]
        case .look: return try world.react(.tableChanged, isCalm: isCalm)
        case .answer(let index, let reply):
            let attempt = world.openAttempts.remove(at: index)
            let answer = world.answer(to: attempt, reply)
            let worlds = try world.react(.tryEnded(attempt.key, answer), isCalm: isCalm)
            if reply == .unsendable, !isHeld { try worlds.first?.checkParked(attempt) }
            return worlds
        case .timer: return try wake(isCalm: isCalm)
        case .network(let isUp):
            world.isUp = isUp
            return try world.react(.network(isUsable: isUp), isCalm: isCalm)
        case .signOut, .signIn, .signInFailed: return try world.session(act, isCalm: isCalm)
        case .foreground: return try world.react(.foreground, isCalm: isCalm)
        case .crash: return try crash()
        case .clock(let offset):
            world.wallOffset = offset
            return [world]
        case .lateArrival(let place, let arrives):
            world.late.removeAll { $0 == place }
            if arrives { _ = world.arrive(place) }
            return [world]
        case .revive(let place):
            world.serverWaitEnd = nil
            return try world.react(.revive(Configuration.id(place)), isCalm: isCalm)
        case .discard(let place):
            return try world.react(.discard(Configuration.id(place), outcome: "dropped"), isCalm: isCalm)
        case .replace(let place, let successor): return try world.replace(place, by: successor, isCalm: isCalm)
        case .decide(let place, let decision):
            return try world.react(.decide(Configuration.id(place), decision), isCalm: isCalm)
        }
    }

    private mutating func session(_ act: Act, isCalm: Bool) throws -> [EnumeratedWorld] {
        switch act {
        case .signOut:
            isSignedIn = false
            isSignInRequested = false
            return try react(.session(.signedOut), isCalm: isCalm)
        case .signIn(let account):
            self.account = account
            isSignedIn = true
            isSignInRequested = false
            return try react(.session(.signedIn(account)), isCalm: isCalm)
        default:
            isSignInRequested = false
            return try react(.signInFailed, isCalm: isCalm)
        }
    }

    private mutating func replace(_ place: Int, by successor: Int, isCalm: Bool) throws -> [EnumeratedWorld] {
        slots[place] = .removed
        slots[successor] = .stored(OutboxDelivery())
        unseen?.formUnion([place, successor] + slots.indices.filter { after[$0].contains(place) })
        after = after.map { $0.map { $0 == place ? successor : $0 } }
        after[successor] = after[place]
        return try react(.tableChanged, isCalm: isCalm)
    }

    private mutating func answer(to attempt: DeliveryTry, _ reply: Act.Reply) -> TryResult {
        let places = attempt.entries.map(Configuration.place)
        switch reply {
        case .performed:
            for place in places { _ = arrive(place) }
            return attempt.isBatch ? members(attempt) { _ in 200 } : .whole(.head(ResponseSummary(200)))
        case .retryLater: return .whole(.head(ResponseSummary(503)))
        case .tooManyRequests:
            serverWaitEnd = elapsed + .seconds(3)
            return .whole(.head(ResponseSummary(429, retryAfter: .seconds(3))))
        case .credentials: return .whole(.head(ResponseSummary(401)))
        case .refused:
            // A batch that is refused as such says nothing of its members.
            if !attempt.isBatch { refused.formUnion(places) }
            return .whole(.head(ResponseSummary(422)))
        case .conflict: return .whole(.head(ResponseSummary(409)))
        case .lostPerformed:
            for place in places { _ = arrive(place) }
            return .whole(.none)
        case .lost: return .whole(.none)
        case .notSent: return .whole(.notSent)
        case .unsendable: return .whole(.unsendable("gone"))
        case .gatewayPerformed:
            for place in places { _ = arrive(place) }
            return .whole(.head(ResponseSummary(504)))
        case .gateway: return .whole(.head(ResponseSummary(504)))
        case .mixed:
            let isFresh = !applied.contains(places[0])
            if isFresh { refused.insert(places[0]) }
            for place in places.dropFirst() { _ = arrive(place) }
            return members(attempt) { $0 == places[0] && isFresh ? 422 : 200 }
        case .partialOutcomes:
            for place in places.dropLast() { _ = arrive(place) }
            return members(attempt) { $0 == places.last ? nil : $0 == places[0] ? 503 : 200 }
        case .withoutOutcomes:
            for place in places { _ = arrive(place) }
            return .whole(.unreadable(ResponseSummary(200)))
        }
    }

    private func members(_ attempt: DeliveryTry, _ status: (Int) -> Int?) -> TryResult {
        var heads: [UUIDBytes: ResponseSummary] = [:]
        for id in attempt.entries { heads[id] = status(Configuration.place(id)).map { ResponseSummary($0) } }
        return .members(heads)
    }
}
