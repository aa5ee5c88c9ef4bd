/// The stretch of a list that a walk has seen, from the start on.
struct WalkedStretch: Sendable {
    /// How an answer goes with the stretch so far.
    enum Connection {
        /// It begins with the items that it was to repeat.
        case connected
        /// It repeats others, too: the list moved, and nothing lies between.
        case displaced
        /// It repeats none, so there may be something between.
        case disconnected
        /// It has nothing that is new, and does not say that there is nothing: that could go on for ever.
        case repeated
    }

    /// The most items of the end that are kept to recognise them; pages repeat fewer.
    private static let longestTail = 2 * ListConfiguration.largestPage

    /// The keys so far.
    private(set) var seen = SeenKeys()
    /// The place behind the last item, counted by what was received.
    private(set) var place = 0
    /// The last key, and the one before it.
    private(set) var last: String?
    private(set) var lastButOne: String?
    /// The number of items that the server says there are.
    private(set) var total: Int?
    /// Whether two answers said different numbers.
    private(set) var hasAnotherTotal = false
    /// Whether a page repeated the last items and had nothing behind them.
    private(set) var endIsShown = false
    /// Whether the place behind the last item was asked for, and whether it was empty.
    private(set) var wasProbed = false
    private(set) var isEmptyBehind = false
    /// Whether the last overlapping page had neither what it was to repeat nor anything new.
    private var isStalled = false
    /// The items of the first page.
    private(set) var firstPage = 0
    /// The pages that do not overlap.
    private(set) var plainPages = 0
    /// Whether the last of them was shorter than the first.
    private var isCut = false
    /// Whether the last answer said that items follow.
    private var saidMore = false
    /// Whether a page was shorter than the first and not the last, or there was nothing where more was said to be.
    private(set) var hasShortPage = false
    /// The size that the last overlapping page was asked for with.
    private(set) var sizeAsked = 0
    private var order = KeyOrder()
    /// The hashes of the keys of the first page.
    private var head: Set<UInt64> = []
    /// The hashes of the last keys, in order.
    private var tail: [UInt64] = []

    /// Whether no key stands twice on a page and, where places are named by keys, all follow each other.
    mutating func isInOrder(_ page: ListPage, _ request: PageRequest) -> Bool {
        guard case .keyset(let after, _) = request else {
            return Set(page.items.map { SeenKeys.hash(of: $0.key) }).count == page.items.count
        }
        var before = after
        for item in page.items {
            if let before, !order.accepts(item.key, after: before) { return false }
            before = item.key
        }
        return true
    }

    /// Adds what an answer shows.
    mutating func add(_ page: ListPage, _ request: PageRequest, _ purpose: ListWalk.Purpose) -> Connection {
        if let total, let other = page.total, total != other { hasAnotherTotal = true }
        total = page.total ?? total
        defer { saidMore = page.saysMore }
        let hashes = page.items.map { SeenKeys.hash(of: $0.key) }
        switch purpose {
        case .first:
            firstPage = hashes.count
            head = Set(hashes)
            plainPages = 1
            append(page.items[...], hashes[...])
            place = hashes.count
            return .connected
        case .probe:
            wasProbed = true
            // Where there is no such page, some servers answer the last one, or the first.
            isEmptyBehind = hashes.allSatisfy(head.union(tail).contains)
            // Something where a page just showed the end: it was cut, or the list moved.
            return endIsShown && !isEmptyBehind ? .repeated : .connected
        case .plain: return addPlain(page, hashes)
        case .overlapping(let count):
            sizeAsked = request.size
            return addOverlapping(page, hashes, request, repeating: count)
        }
    }

    private mutating func addPlain(_ page: ListPage, _ hashes: [UInt64]) -> Connection {
        let known = Set(tail)
        plainPages += 1
        isEmptyBehind = hashes.isEmpty
        if hashes.isEmpty ? saidMore : isCut { hasShortPage = true }
        isCut = hashes.count < firstPage
        let isNew = !hashes.contains { known.contains($0) }
        if !isNew, hashes.allSatisfy({ known.contains($0) }) { return .repeated }
        append(page.items[...], hashes[...])
        place += hashes.count
        return isNew ? .connected : .displaced
    }

    private mutating func addOverlapping(
        _ page: ListPage, _ hashes: [UInt64], _ request: PageRequest, repeating count: Int
    ) -> Connection {
        let isConnected = hashes.count >= count && hashes.prefix(count).elementsEqual(tail.suffix(count))
        var fresh = hashes.startIndex + (isConnected ? count : 0)
        if !isConnected {
            let known = Set(tail)
            if let index = hashes.lastIndex(where: { known.contains($0) }) {
                fresh = index + 1
            } else if case .offset = request {
                return .disconnected
            } else if hashes.isEmpty {
                return .disconnected
            }
        }
        let before = place
        if case .offset(let index, let size) = request {
            place = index * size + hashes.count
        } else {
            place += hashes.count - fresh
        }
        append(page.items[fresh...], hashes[fresh...])
        guard fresh == hashes.count else { return isConnected ? .connected : .displaced }
        endIsShown = isConnected
        // Behind the end that it shows there was something a moment ago: without an end to that the same page would be asked for.
        if isConnected { return wasProbed && !isEmptyBehind ? .repeated : .connected }
        // A list may move so once; a server that answers the same whatever is asked for does so again and again.
        defer { isStalled = true }
        return place > before && !isStalled ? .displaced : .repeated
    }

    private mutating func append(_ items: ArraySlice<ListItem>, _ hashes: ArraySlice<UInt64>) {
        guard let end = items.last else { return }
        lastButOne = items.dropLast().last?.key ?? last
        last = end.key
        for hash in hashes { seen.insert(hash) }
        tail += hashes
        if tail.count > 2 * Self.longestTail { tail.removeFirst(tail.count - Self.longestTail) }
        (endIsShown, wasProbed, isEmptyBehind, isStalled) = (false, false, false, false)
    }

    /// Whether as many items came as the server says there are.
    var hasAllOfTotal: Bool { total.map { seen.count >= $0 } ?? false }

    /// Whether an answer that was added shows the end of the list.
    func isAtEnd(_ page: ListPage, _ request: PageRequest, _ purpose: ListWalk.Purpose) -> Bool {
        if page.total == nil, page.hasMore == false, purpose != .probe { return true }
        switch purpose {
        case .first: return page.items.isEmpty || hasAllOfTotal
        case .plain: return isEmptyBehind || hasAllOfTotal
        case .probe: return (endIsShown || hasAllOfTotal) && isEmptyBehind
        case .overlapping:
            // By counting, an answer says where it ends and how many there are at one moment. Behind a key it does not: where
            // one item went and another came, as many were seen, and not the last one.
            if case .offset = request, let total = page.total, hasAllOfTotal, place >= total { return true }
            return endIsShown && isEmptyBehind
        }
    }
}
