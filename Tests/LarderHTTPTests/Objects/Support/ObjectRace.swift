// ObjectRace: one seeded history of the object 1: answers, saves, removals and sign-outs, some of them while others are under way.

import Foundation
import LarderFormat
import LarderHTTP
import LarderOutbox
import LarderTesting
import Synchronization
import Testing

/// One seeded history of the object 1: answers, saves, removals and sign-outs, some of them while others are under way.
///
/// Every value is a number that is used once, and the server's log says in which order it had them. Concurrent answers may overlap:
/// they are not ordered among each other, but each is ordered against what was written and removed here.
final class ObjectRace: Sendable {
    enum Act: CaseIterable {
        case get, list, save, delete, removeObject, removeClass, signOut, change, disconnect, connect, deliver
    }

    /// What was written here last, and how often the server had written by then.
    enum Write: Equatable {
        case save(Int), delete(after: Int)
    }

    struct State {
        var random: SeededGenerator
        var number = 10
        /// Values that another client wrote, with the length of the server's log then.
        var changes = [1: 0]
        var last: Write?
        var isRemoved = true
        /// Whether the server was asked since the last removal.
        var isRequested = false
        var isDelivering = false
        /// The value of the save that was called last.
        var saving: Int?
        /// How many writes are being sent; a second one to the object would wait for them.
        var writesUnderWay = 0
        var accounts = 0
        var script: [String] = []
        var faults: [String] = []
    }

    let world: ObjectWorld
    private let session: Session
    private let isPersistent: Bool
    let state: Mutex<State>

    init(seed: UInt64, _ place: ObjectPersistence) throws {
        isPersistent = place == .persistent
        world = try ObjectWorld(persistent: isPersistent ? ["User"] : [])
        session = try Session(store: world.store)
        session.attach(world.outbox)
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    /// Plays the history; returns what was older than it may be.
    func run() async throws -> [String] {
        try await signIn()
        for _ in 0..<8 {
            try await perform(depth: 0)
            await check()
        }
        return state.withLock { $0.faults }
    }

    var script: String { state.withLock { $0.script.joined(separator: " ") } }

    private func signIn() async throws {
        let name = state.withLock { state in
            state.accounts += 1
            return "account \(state.accounts)"
        }
        try await session.signIn(as: name)
    }

    // MARK: - Acts

    private func perform(depth: Int) async throws {
        let act = state.withLock { state in
            let isWriting = state.writesUnderWay > 0
            let acts = Act.allCases.filter { act in
                switch act {
                case .save, .delete, .deliver: !isWriting
                case .signOut: !isWriting || !isPersistent
                default: true
                }
            }
            let act = acts[state.random.below(acts.count)]
            state.script.append("\(String(repeating: "›", count: depth))\(act)")
            return act
        }
        if depth < 3 { plan(depth: depth + 1) }
        switch act {
        case .get: await fetch { _ = try await self.world.cache.object(user(1)) }
        case .list: await fetch { _ = try await self.world.cache.collection(allUsers) }
        case .save: await save()
        case .delete: await delete()
        case .removeObject: try await remove { _ = try await self.world.cache.deleteFromStorage(user(1)) }
        case .removeClass: try await remove { _ = try await self.world.cache.removeAllFromStorage(class: "User") }
        case .signOut: try await signOut()
        case .change: change()
        case .disconnect: if !state.withLock({ $0.isDelivering }) { world.goOffline() }
        case .connect: world.goOnline()
        case .deliver: try await deliver()
        }
        state.withLock { $0.script.append("\(String(repeating: "‹", count: depth))") }
    }

    /// Has something happen during the next exchange of each kind, half of the time.
    private func plan(depth: Int) {
        for line in ["GET /User/1", "GET /User", "PUT /User/1", "DELETE /User/1"] {
            let draw = state.withLock { $0.random.below(4) }
            let count = line.hasPrefix("GET") ? 0 : 1
            let happen: RequestHooks.Act = { [weak self] in
                guard let self else { return }
                state.withLock { $0.writesUnderWay += count }
                // The outbox ends its requests with its run, and no act is to be cancelled with them.
                try await Task { try await self.perform(depth: depth) }.value
                state.withLock { $0.writesUnderWay -= count }
            }
            if draw == 0 { world.meanwhile.plan(before: line, happen) }
            if draw == 1 { world.meanwhile.plan(during: line, happen) }
        }
    }

    private func fetch(_ body: () async throws -> Void) async {
        state.withLock { $0.isRequested = true }
        // Offline, gone from the server, or of an account that has left.
        try? await body()
    }

    private func save() async {
        let number = state.withLock { state in
            state.number += 1
            state.isRemoved = false
            state.saving = state.number
            return state.number
        }
        guard (try? await world.cache.save(user(1), payload: Array("\(number)".utf8))) != nil else { return }
        state.withLock { $0.last = .save(number) }
    }

    private func delete() async {
        let before = world.server.written.count
        state.withLock { $0.isRemoved = false }
        guard (try? await world.cache.delete(user(1))) != nil else { return }
        state.withLock { $0.last = .delete(after: before) }
    }

    private func remove(_ body: () async throws -> Void) async throws {
        let sent = world.network.recorded.compactMap(\.body)
        state.withLock { state in
            state.isRemoved = true
            // A save behind an older write that is being sent has not begun yet: it may count as made after the removal.
            let isSaveBehind =
                state.writesUnderWay > 0 && state.saving.map { !sent.contains(Array("\($0)".utf8)) } ?? false
            state.isRequested = state.isDelivering || isSaveBehind
        }
        try await body()
    }

    private func signOut() async throws {
        if state.withLock({ $0.isDelivering }) { return }
        try await session.signOut(.discard(named: "account \(state.withLock { $0.accounts })"))
        state.withLock { state in
            state.last = nil
            state.isRemoved = true
            state.isRequested = false
        }
        try await world.cache.clear(discardingUnsent: true)
        try await signIn()
    }

    private func change() {
        let number = state.withLock { state in
            state.number += 1
            state.changes[state.number] = world.server.written.count
            return state.number
        }
        world.server.put("User", "1", "\(number)")
    }

    private func deliver() async throws {
        let isFirst = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        world.goOnline()
        state.withLock { $0.isRequested = true }
        if isPersistent { try await world.sendWaitingWrites() } else { try await world.cache.sendQueued() }
        state.withLock { $0.isDelivering = false }
    }

    // MARK: - What may be shown

    /// Compares what is kept with what was written and removed here.
    private func check() async {
        let shown = try? await world.cache.object(user(1), strategy: .cacheOnly).number
        let listed = try? await world.cache.collection(allUsers, strategy: .cacheOnly).value.objects.first {
            $0.name == user(1)
        }
        let log = world.server.written
        state.withLock { state in
            if let listed, String(decoding: listed.payload, as: UTF8.self) != shown {
                state.faults.append("the list shows another value than the object")
            }
            guard let fault = state.violation(of: shown.flatMap { Int($0) }, log) else { return }
            state.faults.append(
                "\(fault): shown \(shown ?? "-"), last \(String(describing: state.last)), server \(log)")
        }
    }
}

extension ObjectRace.State {
    /// What is wrong with a kept value.
    fileprivate func violation(of shown: Int?, _ log: [String]) -> String? {
        let written = order(of: last, log)
        let isWaiting = last != nil && written == nil
        guard let shown else {
            if case .save = last, !isRemoved || isWaiting { return "a write is lost" }
            return nil
        }
        if last == .save(shown), isWaiting || !isRemoved || isRequested { return nil }
        if isWaiting { return "an answer replaced a write that waits" }
        if isRemoved, !isRequested { return "what was removed came back" }
        guard let written else { return nil }
        return (order(of: shown, log) ?? 0) > written ? nil : "an older value replaced a newer one"
    }

    /// When the server had a write; nil while it has not.
    private func order(of write: ObjectRace.Write?, _ log: [String]) -> Int? {
        switch write {
        case nil: nil
        case .save(let number): order(of: number, log)
        case .delete(let count): log[min(count, log.count)...].firstIndex { $0.hasPrefix("DELETE") }.map { 2 * $0 + 2 }
        }
    }

    /// When the server had a value.
    private func order(of value: Int, _ log: [String]) -> Int? {
        if let count = changes[value] { return 2 * count + 1 }
        return log.firstIndex(of: "PUT /User/1 \(value)").map { 2 * $0 + 2 }
    }
}
