/// The stretch of a list that a walk has seen, from the start on.
struct WalkedPrefix: Sendable {
    /// The way a page connects to the stretch so far.
    enum Connection {
        /// The page begins with the items that it was expected to repeat.
        case connected
        /// The page repeats other known items: the list moved, and nothing is missing in between.
        case displaced
        /// The page repeats none, so items in between may be missing.
        case disconnected
        /// The page has nothing new and does not show the end, which could go on for ever.
        case repeated
    }

    /// The largest number of last items to keep for comparison; pages repeat fewer.
    private static let longestTail = 2 * ListConfiguration.largestPage

    /// The keys seen so far.
    private(set) var seen = SeenKeys()
    /// The place after the last item, counted by the items received.
    private(set) var place = 0
    /// The last key, and the one before it.
    private(set) var last: String?
    private(set) var secondToLast: String?
    /// The total number of items that the server states.
    private(set) var total: Int?
    /// Whether two pages stated different totals.
    private(set) var hasConflictingTotals = false
    /// Whether a page repeated the last items and had nothing after them.
    private(set) var endIsShown = false
    /// Whether the place after the last item was requested, and whether it was empty.
    private(set) var wasProbed = false
    private(set) var isEmptyAfterLast = false
    /// Whether the last overlapping page had neither the items that it was expected to repeat nor anything new.
    private var isStalled = false
    /// The number of items on the first page.
    private(set) var firstPage = 0
    /// The number of pages that do not overlap.
    private(set) var plainPages = 0
    /// Whether the last of these pages was shorter than the first.
    private var isCut = false
    /// Whether the last page stated that items follow.
    private var statedMore = false
    /// Whether a page other than the last was shorter than the first, or a page was empty although items were to
    /// follow.
    private(set) var hasShortPage = false
    /// The size with which the last overlapping page was requested.
    private(set) var requestedSize = 0
    private var order = KeyOrder()
    /// The hashes of the keys of the first page.
    private var head: Set<UInt64> = []
    /// The hashes of the last keys, in order.
    private var tail: [UInt64] = []

    /// Whether no key occurs twice on a page and, when paging by key, all keys are in order.
    mutating func isInOrder(_ page: ListPage, _ request: PageRequest) -> Bool {
        guard case .keyset(let after, _) = request else {
            return Set(page.items.map { SeenKeys.hash(of: $0.key) }).count == page.items.count
        }
        var before = after
        for item in page.items {
            if let before, !order.check(item.key, after: before) { return false }
            before = item.key
        }
        return true
    }

    /// Adds a page, and returns how it connects.
    mutating func add(_ page: ListPage, _ request: PageRequest, _ purpose: ListWalk.Purpose) -> Connection {
        if let total, let other = page.total, total != other { hasConflictingTotals = true }
        total = page.total ?? total
        defer { statedMore = page.saysMore }
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
            // When there is no such page, some servers return the last one, or the first.
            isEmptyAfterLast = hashes.allSatisfy(head.union(tail).contains)
            // Items follow although a page just showed the end: that page was cut, or the list moved.
            return endIsShown && !isEmptyAfterLast ? .repeated : .connected
        case .plain: return addPlain(page, hashes)
        case .overlapping(let count):
            requestedSize = request.size
            return addOverlapping(page, hashes, request, repeating: count)
        }
    }

    private mutating func addPlain(_ page: ListPage, _ hashes: [UInt64]) -> Connection {
        let known = Set(tail)
        plainPages += 1
        isEmptyAfterLast = hashes.isEmpty
        if hashes.isEmpty ? statedMore : isCut { hasShortPage = true }
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
        // A probe has just found items after this end. Without a stop here, the same page would be requested again and
        // again.
        if isConnected { return wasProbed && !isEmptyAfterLast ? .repeated : .connected }
        // A list may move in this way once. A server that returns the same page for every request does so repeatedly.
        defer { isStalled = true }
        return place > before && !isStalled ? .displaced : .repeated
    }

    private mutating func append(_ items: ArraySlice<ListItem>, _ hashes: ArraySlice<UInt64>) {
        guard let end = items.last else { return }
        secondToLast = items.dropLast().last?.key ?? last
        last = end.key
        for hash in hashes { seen.insert(hash) }
        tail += hashes
        if tail.count > 2 * Self.longestTail { tail.removeFirst(tail.count - Self.longestTail) }
        (endIsShown, wasProbed, isEmptyAfterLast, isStalled) = (false, false, false, false)
    }

    /// Whether as many items were received as the server states.
    var hasAllOfTotal: Bool { total.map { seen.count >= $0 } ?? false }

    /// Whether a page that was added shows the end of the list.
    func isAtEnd(_ page: ListPage, _ request: PageRequest, _ purpose: ListWalk.Purpose) -> Bool {
        if page.total == nil, page.hasMore == false, purpose != .probe { return true }
        switch purpose {
        case .first: return page.items.isEmpty || hasAllOfTotal
        case .plain: return isEmptyAfterLast || hasAllOfTotal
        case .probe: return (endIsShown || hasAllOfTotal) && isEmptyAfterLast
        case .overlapping:
            // A page by offset shows its end and the total at one time. A page by key does not: when one item was
            // removed and another added, the count is right although the last item was not seen.
            if case .offset = request, let total = page.total, hasAllOfTotal, place >= total { return true }
            return endIsShown && isEmptyAfterLast
        }
    }
}
