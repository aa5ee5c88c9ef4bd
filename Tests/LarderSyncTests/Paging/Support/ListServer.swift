// ListServer: a server with one list that a test can change between and during responses.

import LarderSync
import Synchronization

/// A server with one list, which a test can change between answers and while one is under way.
final class ListServer: PageSource {
    /// When something happens to the list.
    enum RequestPhase: Equatable {
        /// Before the request of that number is answered; the first is 1.
        case before(Int)
        /// After its answer was made, and before it arrives.
        case during(Int)
    }

    /// What is on the server.
    struct State {
        /// The items in the list, by key.
        var items: [Int: String]
        /// Items that are there and not in the list.
        var hidden: [Int: String] = [:]
        /// The keys that were in the list all the time since ``ListServer/beginRun()``.
        var throughout: Set<Int> = []
        var requests: [PageRequest] = []

        mutating func put(_ key: Int, _ text: String) { items[key] = text }

        mutating func delete(_ key: Int) {
            items[key] = nil
            throughout.remove(key)
        }

        mutating func hide(_ key: Int) {
            guard let text = items[key] else { return }
            hidden[key] = text
            delete(key)
        }

        mutating func show(_ key: Int) {
            if let text = hidden.removeValue(forKey: key) { items[key] = text }
        }
    }

    let paging: Paging
    private let state: Mutex<State>
    private let intervene: Mutex<@Sendable (inout State, RequestPhase) -> Void>
    private let canned: @Sendable (PageRequest, Int) throws -> ListPage?
    /// Whether it says how many items there are.
    private let reportsTotal: Bool

    /// - Parameters:
    ///   - meddle: changes the list in a phase of a request.
    ///   - canned: an answer in place of the list's own.
    init(
        _ paging: Paging = .offset, _ items: [Int: String], total: Bool = false,
        meddle: @escaping @Sendable (inout State, RequestPhase) -> Void = { _, _ in },
        canned: @escaping @Sendable (PageRequest, Int) throws -> ListPage? = { _, _ in nil }
    ) {
        self.paging = paging
        state = Mutex(State(items: items))
        self.intervene = Mutex(meddle)
        self.canned = canned
        reportsTotal = total
    }

    /// A list of these keys, whose items have the text `row` and their key.
    convenience init(
        _ paging: Paging = .offset, keys: some Sequence<Int>, total: Bool = false,
        meddle: @escaping @Sendable (inout State, RequestPhase) -> Void = { _, _ in },
        canned: @escaping @Sendable (PageRequest, Int) throws -> ListPage? = { _, _ in nil }
    ) {
        self.init(
            paging, Dictionary(uniqueKeysWithValues: keys.map { ($0, "row \($0)") }), total: total, meddle: meddle,
            canned: canned)
    }

    /// A list of these keys, in place of which an answer may come that is not its own.
    static func responding(
        _ paging: Paging = .offset, keys: some Sequence<Int>,
        _ canned: @escaping @Sendable (PageRequest, Int) throws -> ListPage?
    ) -> ListServer {
        ListServer(paging, keys: keys, canned: canned)
    }

    var items: [Int: String] { state.withLock { $0.items } }
    var requests: [PageRequest] { state.withLock { $0.requests } }
    var throughout: Set<Int> { state.withLock { $0.throughout } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// From now on, nothing happens to the list.
    func stopChanging() { intervene.withLock { $0 = { _, _ in } } }

    /// Forgets the requests, and begins to note what is in the list all the time.
    func beginRun() {
        state.withLock { state in
            state.requests = []
            state.throughout = Set(state.items.keys)
        }
    }

    func page(_ request: PageRequest) async throws -> ListPage { try answer(request) }

    /// Answers at once.
    func answer(_ request: PageRequest) throws -> ListPage {
        let intervene = intervene.withLock { $0 }
        let (number, page) = state.withLock { state in
            state.requests.append(request)
            let number = state.requests.count
            intervene(&state, .before(number))
            var page = Self.page(request, state.items)
            if reportsTotal { page.total = state.items.count }
            intervene(&state, .during(number))
            return (number, page)
        }
        return try canned(request, number) ?? page
    }

    private static func page(_ request: PageRequest, _ items: [Int: String]) -> ListPage {
        let keys = items.keys.sorted()
        let onPage: [Int]
        switch request {
        case .offset(let index, let size): onPage = Array(keys.dropFirst(index * size).prefix(size))
        case .keyset(let after, let size):
            onPage = Array(keys.filter { $0 > (after.flatMap { Int($0) } ?? .min) }.prefix(size))
        }
        return ListPage(items: onPage.map { item($0, items[$0] ?? "") })
    }

    static func item(_ key: Int, _ text: String) -> ListItem {
        ListItem(key: String(key), payload: Array("{\"id\":\(key),\"name\":\"\(text)\"}".utf8))
    }
}
