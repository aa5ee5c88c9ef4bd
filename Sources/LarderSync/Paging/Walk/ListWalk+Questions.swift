extension ListWalk {
    /// A request and what it is for.
    struct Question: Sendable {
        let purpose: Purpose
        let request: PageRequest

        init(_ purpose: Purpose, _ request: PageRequest) {
            self.purpose = purpose
            self.request = request
        }
    }

    /// What a page is asked for.
    enum Purpose: Hashable, Sendable {
        /// The start of the list.
        case first
        /// The next items, behind so many that are repeated.
        case overlapping(Int)
        /// Whether anything follows.
        case probe
        /// The next items.
        case plain

        /// Whether the page is asked for in a size that is not the walk's own.
        var isPartOfPage: Bool {
            switch self {
            case .overlapping, .probe: true
            case .first, .plain: false
            }
        }
    }

    /// What to ask for next; nil when the pages that the server answers have no room to overlap.
    ///
    /// - Parameter isShort: whether the page before was short, which may be the end or the most that the server answers.
    func next(isShort: Bool) -> Question? {
        switch paging {
        case .keyset: nextBehindKey(isShort: isShort)
        case .offset: nextByCount(isShort: isShort)
        }
    }

    private func nextBehindKey(isShort: Bool) -> Question? {
        let size = max(configuration.pageSize, 2)
        if isPlain { return Question(.plain, .keyset(after: stretch.last, size: size)) }
        guard largestPage > 1 else { return nil }
        if isShort || stretch.endIsShown || stretch.hasAllOfTotal, !stretch.wasProbed {
            return Question(.probe, .keyset(after: stretch.last, size: size))
        }
        return Question(.overlapping(1), .keyset(after: stretch.lastButOne, size: size))
    }

    private func nextByCount(isShort: Bool) -> Question? {
        let size = configuration.pageSize
        if isPlain {
            // A first page that is short is as large as they come, or all there is.
            return Question(.plain, .offset(index: stretch.plainPages, size: max(stretch.firstPage, 1)))
        }
        let most = min(largestPage, max(size, 2))
        if isShort || stretch.endIsShown, !stretch.wasProbed {
            return Question(.probe, PageChoice.beginning(stretch.place, size: most))
        }
        if let choice = PageChoice.overlapping(stretch.place, size: most) {
            return Question(.overlapping(choice.repeated), choice.request)
        }
        // Walks by very few items, or over a list that has no more: the least size above that has room.
        guard most >= max(size, 2) || stretch.isEmptyBehind else { return nil }
        var larger = most + 1
        while stretch.place.isMultiple(of: larger) { larger += 1 }
        let request = PageRequest.offset(index: stretch.place / larger, size: larger)
        return Question(.overlapping(stretch.place % larger), request)
    }
}
