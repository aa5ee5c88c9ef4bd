// ListHistory: runs histories of lists with the shipped ListReconciler, a real store and a faulty server.

internal import LarderFormat
package import LarderStore
internal import LarderSync
package import LarderTesting

/// Plays histories of lists: the shipped ``ListReconciler`` over a real store, against a server that caps its pages, changes
/// the list between two answers, has it in another order, or answers nothing in its place. One seed is one history.
///
/// The promises: no row is deleted that was on the server throughout the pass; a whole pass holds every item that stayed
/// throughout; and on a server where nothing changes, the rows become those of the server. The first two are not made for
/// passes whose pages do not overlap.
package struct ListHistory {
    /// How a history went.
    package struct Outcome: Sendable {
        /// The promise that was broken, if any.
        package let violation: Violation?
        /// The hash of everything that happened.
        package let hash: UInt64
        /// The requests of all passes.
        package let requests: Int
        /// What happened.
        package let lines: [String]
    }

    private let clock: VirtualClock
    private let store: Store
    private let resource: ResourceKey
    private let server: ModelListServer
    private let configuration: ListConfiguration
    private let passes: [ModelListServer.PassConditions]
    private var lines: [String] = []

    private init(seed: UInt64, store: Store, clock: VirtualClock) {
        var generator = SeededGenerator(seed: seed)
        self.clock = clock
        self.store = store
        resource = ResourceKey("lists", Int64(seed & 0xFFFF_FFFF) + 1)
        let order = generator.pick(ModelList.Order.allCases) ?? .number
        let size = generator.pick([1, 2, 3, 5, 8, 13]) ?? 5
        let cap = generator.happens(perMille: 400) ? 1 + generator.below(2 * size) : .max
        let traits = ModelListServer.Traits(
            paging: order.hasKeys && generator.happens(perMille: 400) ? .keyset : .offset,
            continuation: generator.pick([.unstated, .unstated, .flag, .total]) ?? .unstated, cap: cap,
            countsCapped: generator.happens(perMille: 300))
        let list = ModelList(order, count: generator.below(40), using: &generator)
        configuration = ListConfiguration(pageSize: size, maximumPages: 1000)
        // A server that is wrong is right before it is wrong again: what it says in two passes, one after the other, is
        // believed.
        passes = (0..<2 + generator.below(5)).map { number in
            let isWrong = number.isMultiple(of: 2) && generator.happens(perMille: 500)
            return ModelListServer.PassConditions(
                changes: generator.pick([0, 100, 300, 700]) ?? 0, empties: isWrong ? 150 : 0,
                cuts: generator.pick([0, 0, 100]) ?? 0)
        }
        server = ModelListServer(traits, list, generator)
        lines.append("\(order), pages of \(size): \(traits)")
    }

    /// Plays the history of a seed in a store of its own or one that other histories have been played in.
    ///
    /// - Parameter clock: the clock of the store's host; advanced.
    package static func run(_ seed: UInt64, in store: Store, clock: VirtualClock) async -> Outcome {
        var history = ListHistory(seed: seed, store: store, clock: clock)
        var violation: Violation?
        do {
            try await history.run()
        } catch let found as Violation {
            violation = found
        } catch {
            violation = Violation(.store, "\(error)")
        }
        var trace = HistoryTrace(keeping: history.lines.count)
        for line in history.lines { trace.append(line) }
        return Outcome(
            violation: violation, hash: trace.hash, requests: history.server.withState { $0.requests },
            lines: history.lines)
    }
}

extension ListHistory {
    private mutating func run() async throws {
        try await putFirstRows()
        for conditions in passes {
            lines.append("pass: \(conditions)")
            _ = try await runPass(conditions)
        }
        // In the quiet: one pass, or one more where much is missing.
        for _ in 0..<2 {
            if try await runPass(ModelListServer.PassConditions()) == nil { break }
        }
        let wanted = server.withState { state in
            Dictionary(uniqueKeysWithValues: state.list.items.map { ($0.key, ModelListServer.item($0).payload) })
        }
        let rows = try currentRows()
        guard rows == wanted else {
            throw Violation(.convergence, "\(rows.keys.sorted()) is not \(wanted.keys.sorted())")
        }
    }

    /// Rows that an earlier pass may have left: some of the server's, as they are or older, and some that are gone.
    private func putFirstRows() async throws {
        let rows = server.withState { state in
            var generator = state.generator
            defer { state.generator = generator }
            var items = state.list.items.filter { _ in generator.happens(perMille: 500) }
            if generator.happens(perMille: 300) { items = [] }
            for index in items.indices where generator.happens(perMille: 300) { items[index].text = "old" }
            var gone = state.list
            for _ in 0..<generator.below(8) { gone.change(using: &generator) }
            let keys = Set(state.list.items.map(\.key))
            return items + gone.items.filter { !keys.contains($0.key) }
        }
        try await store.write { [resource] transaction in
            for row in rows {
                let key = RowKey(resource: resource, type: "item", key: row.key)
                try transaction.put(ModelListServer.item(row).payload, at: key, updatedAt: 0)
            }
        }
    }

    /// Runs one pass and looks at what it did.
    private mutating func runPass(_ conditions: ModelListServer.PassConditions) async throws -> ListError? {
        let before = try currentRows()
        server.withState { state in
            state.conditions = conditions
            state.emptyAnswers = 0
            state.correctResponses = 0
            state.lines = []
            state.list.beginPass()
        }
        let (failure, hasOverlaps) = await reconcile()
        let (unchangedKeys, truths, answers) = server.withState {
            ($0.list.unchangedKeys, $0.correctResponses, $0.lines)
        }
        lines += answers
        let after = try currentRows()
        lines.append(failure.map { "\($0)" } ?? "whole, with \(after.count) rows")
        // A suspicious deletion may be confirmed by the next pass, or not yet.
        clock.advance(by: .seconds(conditions == ModelListServer.PassConditions() ? 120 : 20 + lines.count % 100))
        guard hasOverlaps else { return failure }
        let lost = Set(before.keys).subtracting(after.keys).intersection(unchangedKeys)
        guard lost.isEmpty else { throw Violation(.liveRows, "\(lost.sorted()) were on the server all the time") }
        guard failure == nil, truths > 0 else { return failure }
        let unseen = unchangedKeys.subtracting(after.keys)
        guard unseen.isEmpty else { throw Violation(.wholeLists, "\(unseen.sorted()) stayed and are no rows") }
        return nil
    }

    private func reconcile() async -> (failure: ListError?, hasOverlaps: Bool) {
        do throws(ListError) {
            let report = try await ListReconciler(store: store, configuration: configuration)
                .reconcile(resource, type: "item", from: server)
            return (nil, report.hasOverlaps)
        } catch {
            return (error, true)
        }
    }

    private func currentRows() throws -> [String: [UInt8]] {
        let rows = try store.read { view in try view.rows(in: .all(of: resource)) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.key.key, $0.payload) })
    }
}
