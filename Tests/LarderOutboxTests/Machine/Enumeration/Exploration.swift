// Exploration: a breadth-first walk through every state of a small world.

import LarderOutbox
import LarderStore

/// A breadth-first walk through every state of a small world.
struct Exploration {
    /// How many states there are.
    private(set) var states = 0
    /// How many ways lead from one to another.
    private(set) var ways = 0
    /// How a promise was broken first, and what led to it.
    private(set) var failure: String?

    private struct Origin {
        var state: Int
        var act: Act?
    }

    private var origins: [Origin] = []
    private var seen: Set<[UInt8]> = []
    /// What was left of the worlds that have crashed.
    private var crashed: Set<[UInt8]> = []

    /// Walks until everything is seen, or a promise is broken, or there are more states than `limit`.
    init(_ configuration: Configuration, limit: Int = 400_000) {
        var front = [(0, EnumeratedWorld(configuration))]
        origins = [Origin(state: -1, act: nil)]
        seen.insert(front[0].1.key)
        while !front.isEmpty, failure == nil {
            var next: [(Int, EnumeratedWorld)] = []
            for (number, world) in front where failure == nil { visit(world, number, into: &next) }
            front = next
            if origins.count > limit { failure = "more than \(limit) states" }
        }
        states = origins.count
    }

    private mutating func visit(_ world: EnumeratedWorld, _ number: Int, into next: inout [(Int, EnumeratedWorld)]) {
        var act: Act?
        do {
            // Fair weather from every state is dear, and neighbours end alike.
            if number % 8 == 0 { try finish(world) }
            for following in world.acts {
                // A crash forgets the machine: of worlds that differ in nothing else all but the first lead to what is seen already.
                if following == .crash, !crashed.insert(world.remains).inserted { continue }
                act = following
                for reached in try world.after(following) {
                    ways += 1
                    guard seen.insert(reached.key).inserted else { continue }
                    origins.append(Origin(state: number, act: act))
                    try reached.check()
                    next.append((origins.count - 1, reached))
                }
            }
        } catch {
            let acts = path(to: number) + [act].compactMap { $0 }
            failure = "\(error), after\n" + acts.map { "  \($0)" }.joined(separator: "\n")
        }
    }

    private func path(to number: Int) -> [Act] {
        var acts: [Act] = []
        var place = number
        while place >= 0 {
            if let act = origins[place].act { acts.append(act) }
            place = origins[place].state
        }
        return acts.reversed()
    }

    /// Lets everything go well from here on: all that can be sent is accepted.
    private func finish(_ start: EnumeratedWorld) throws {
        var world = start
        for _ in 0..<64 {
            guard let act = world.fairAct else { return try world.checkEnd() }
            world = try world.after(act, isCalm: true)[0]
        }
        throw EnumeratedWorld.Violation(description: "fair weather comes to no end")
    }
}

extension EnumeratedWorld {
    /// What happens next when all goes well; nil when nothing is left to happen.
    fileprivate var fairAct: Act? {
        if !isUp { return .network(true) }
        if case .signedIn = machine.authentication {} else { return .signIn(account) }
        if unseen != [], !isHeld { return .look }
        if let attempt = openAttempts.first {
            let isRefused = attempt.entries.contains { refused.contains(Configuration.place($0)) }
            return .answer(0, isRefused ? .refused : .performed)
        }
        return timer == nil ? nil : .timer
    }
}
