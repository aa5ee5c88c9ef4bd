// ModelListServer: a server with one list that caps its pages, changes between requests and is sometimes wrong.

internal import LarderSync
internal import LarderTesting
internal import Synchronization

/// A server with one list: it answers as few items as it likes, changes the list between two answers, and is wrong at times.
final class ModelListServer: PageSource {
    /// What a server is like, from its first answer to its last.
    struct Traits: Sendable {
        /// How an answer says whether more follow.
        enum Continuation: CaseIterable, Sendable { case unstated, flag, total }

        var paging: Paging
        var continuation: Continuation
        /// The most items of an answer.
        var cap: Int
        /// Whether a place is counted in pages of the size that is answered, and not of the one that was asked for.
        var countsCapped: Bool
    }

    /// The present faults of a server, as probabilities in a thousand for each request.
    struct PassConditions: Hashable, Sendable {
        /// That the list changes before an answer.
        var changes = 0
        /// That an answer, and some that follow, have no items.
        var empties = 0
        /// That an answer has fewer items than there are.
        var cuts = 0
    }

    struct State: Sendable {
        var list: ModelList
        var conditions = PassConditions()
        var generator: SeededGenerator
        /// The answers without items that are still to come.
        var emptyAnswers = 0
        /// The answers, one line each.
        var lines: [String] = []
        var requests = 0
        /// The answers that were right.
        var correctResponses = 0
    }

    let traits: Traits
    private let state: Mutex<State>

    init(_ traits: Traits, _ list: ModelList, _ generator: SeededGenerator) {
        self.traits = traits
        state = Mutex(State(list: list, generator: generator))
    }

    var paging: Paging { traits.paging }

    func withState<Result>(_ body: (inout sending State) -> sending Result) -> sending Result { state.withLock(body) }

    func page(_ request: PageRequest) async throws -> ListPage {
        state.withLock { state in
            if state.generator.happens(perMille: state.conditions.changes) {
                for _ in 0...state.generator.below(3) { state.list.change(using: &state.generator) }
            }
            state.requests += 1
            let page = answer(request, &state)
            state.lines.append("\(request): \(page.items.map(\.key)) of \(state.list.items.count)")
            return page
        }
    }

    private func answer(_ request: PageRequest, _ state: inout State) -> ListPage {
        if state.emptyAnswers == 0, state.generator.happens(perMille: state.conditions.empties) {
            state.emptyAnswers = 1 + state.generator.below(4)
        }
        guard state.emptyAnswers == 0 else {
            state.emptyAnswers -= 1
            return page(ArraySlice(), total: 0, isLast: true)
        }
        let rest = self.remainingItems(request, state.list)
        var count = min(request.size, traits.cap, rest.count)
        if count > 1, state.generator.happens(perMille: state.conditions.cuts) {
            count = 1 + state.generator.below(count - 1)
        }
        state.correctResponses += 1
        return page(rest.prefix(count), total: state.list.items.count, isLast: count == rest.count)
    }

    private func remainingItems(_ request: PageRequest, _ list: ModelList) -> ArraySlice<ModelList.Item> {
        switch request {
        case .offset(let index, let size):
            list.items.dropFirst(index * (traits.countsCapped ? min(size, traits.cap) : size))
        case .keyset(let after, _):
            list.items.drop { item in after.map { !list.isBefore($0, item.key) } ?? false }
        }
    }

    private func page(_ items: ArraySlice<ModelList.Item>, total: Int, isLast: Bool) -> ListPage {
        var page = ListPage(items: items.map(Self.item))
        switch traits.continuation {
        case .unstated: break
        case .flag: page.hasMore = !isLast
        case .total: page.total = total
        }
        return page
    }

    /// An item as it goes over the wire.
    static func item(_ item: ModelList.Item) -> ListItem {
        ListItem(key: item.key, payload: Array("{\"text\":\"\(item.text)\"}".utf8))
    }
}
