extension ListWalk {
    /// A page request and its purpose.
    struct Question: Sendable {
        let purpose: Purpose
        let request: PageRequest

        init(_ purpose: Purpose, _ request: PageRequest) {
            self.purpose = purpose
            self.request = request
        }
    }

    /// The purpose of a page request.
    enum Purpose: Hashable, Sendable {
        /// The start of the list.
        case first
        /// The next items, after that number of repeated ones.
        case overlapping(Int)
        /// A check whether anything follows.
        case probe
        /// The next items, without overlap.
        case plain

        /// Whether the page is requested with a size other than the walk's own.
        var isPartOfPage: Bool {
            switch self {
            case .overlapping, .probe: true
            case .first, .plain: false
            }
        }
    }

    /// Returns the next request; nil when the server's pages are too small to overlap.
    ///
    /// - Parameter isShort: whether the page before was short, which may be the end or the most that the server
    ///   returns.
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
            // A short first page is either the server's page size or the whole list.
            return Question(.plain, .offset(index: stretch.plainPages, size: max(stretch.firstPage, 1)))
        }
        let most = min(largestPage, max(size, 2))
        if isShort || stretch.endIsShown, !stretch.wasProbed {
            return Question(.probe, PageChoice.beginning(stretch.place, size: most))
        }
        if let choice = PageChoice.overlapping(stretch.place, size: most) {
            return Question(.overlapping(choice.repeated), choice.request)
        }
        // For walks by very few items, and at the end of the list, the smallest larger size that overlaps is used.
        guard most >= max(size, 2) || stretch.isEmptyBehind else { return nil }
        var larger = most + 1
        while stretch.place.isMultiple(of: larger) { larger += 1 }
        let request = PageRequest.offset(index: stretch.place / larger, size: larger)
        return Question(.overlapping(stretch.place % larger), request)
    }
}
