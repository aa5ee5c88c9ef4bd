// Proves that every reachable state of small configurations of the delivery machine is safe and live.

import Foundation
import Testing

/// Every state of small worlds: the shipped machine, and all that may happen to it.
///
/// In each of them: what is due and may be sent is under way or the timer is armed for it; nothing is sent twice at a time, out of turn,
/// as another account, under another key, before that is stored, or after the server may have forgotten it; what left the outbox did so with the outcome that the
/// server knows; and in fair weather all that can be delivered is.
///
/// In two suites, so that two are walked through at a time.
@Suite(.serialized) struct `Every state of the delivery machine` {
    private typealias Entry = Configuration.Entry

    @Test func `two entries of one lane, under any conditions`() async {
        await explore(
            Configuration(
                [Entry(), Entry()],
                [.network, .session, .crash, .storage, .retry, .refusal, .credentials, .lost, .notSent]),
            states: 28_540)
    }

    @Test func `three entries of two lanes, with lost answers, crashes and a full disk`() async {
        await explore(
            Configuration(
                [Entry(), Entry(lane: "b"), Entry()], [.crash, .storage, .retry, .lost]),
            states: 65_685)
    }

    @Test func `four entries of two lanes, with lost answers and crashes`() async {
        await explore(
            Configuration([Entry(), Entry(lane: "b"), Entry(), Entry(lane: "b")], [.crash, .lost, .retry]),
            states: 19_440)
    }

    @Test func `a visit and its photos, of which any may be refused or dropped`() async {
        await explore(
            Configuration(
                [Entry(), Entry(lane: "b", after: [0]), Entry(lane: "c", after: [1])],
                [.crash, .storage, .refusal, .lost, .userActions]),
            states: 2_870)
    }

    @Test func `a parked entry holds its entity, and only that`() async {
        await explore(
            Configuration(
                [Entry(entity: "x"), Entry(entity: "y"), Entry(entity: "x")],
                [.network, .crash, .retry, .conflict, .userActions, .unsendable], concurrent: 1),
            states: 96_783)
    }

    @Test func `a conflict, and what replaces the entry`() async {
        await explore(
            Configuration(
                [Entry(entity: "x"), Entry(lane: "b", after: [0]), Entry(entity: "x", successorOf: 0)],
                [.crash, .storage, .conflict, .refusal, .lost]),
            states: 454)
    }

    @Test func `two accounts on one device`() async {
        await explore(
            Configuration(
                [Entry(account: "ann"), Entry(account: "ben"), Entry(account: "ann")],
                [.session, .crash, .credentials, .lost, .network]),
            states: 9_774)
    }

    @Test func `a server that forgets keys, and requests that arrive late`() async {
        await explore(
            Configuration(
                [Entry(), Entry()], [.crash, .lost, .gateway, .retry, .notSent, .late], isPatient: true, memory: 3),
            states: 2_712)
    }

    @Test func `a server that forgets keys, and a clock that jumps ahead and back`() async {
        await explore(Configuration([Entry()], [.crash, .lost, .clock], memory: 3), states: 194)
    }

}

/// The rest of ``Every state of the delivery machine``, which takes about as long.
@Suite(.serialized) struct `Every state of the delivery machine, of more worlds` {
    private typealias Entry = Configuration.Entry

    @Test func `a server that requests waits or fails for as long as it likes`() async {
        await explore(
            Configuration(
                [Entry(), Entry(lane: "b")], [.network, .retry, .requestedWaits, .crash], concurrent: 1, attempts: 1),
            states: 15_966)
    }

    @Test func `waits that grow, a server that requests waits, people and the foreground`() async {
        await explore(
            Configuration(
                [Entry(), Entry(lane: "b")],
                [.network, .foreground, .retry, .requestedWaits, .crash], concurrent: 1, isPatient: true),
            states: 84_953)
    }

    @Test func `lanes in batches, and what comes after one of their members`() async {
        await explore(
            Configuration(
                [Entry(), Entry(lane: "b"), Entry(lane: "b"), Entry(lane: "c", after: [0])],
                [.crash, .retry, .lost, .unsendable], batch: 3),
            states: 109_368)
    }
}

/// On a thread of its own: it takes long, and would keep other tests from theirs.
private func explore(_ configuration: Configuration, states: Int, _ name: String = #function) async {
    let exploration = await withCheckedContinuation { done in
        Thread.detachNewThread { done.resume(returning: Exploration(configuration)) }
    }
    if let failure = exploration.failure { Issue.record("\(failure)") }
    Swift.print("\(name): \(exploration.states) states, \(exploration.ways) ways between them")
    #expect(exploration.states == states)
}
