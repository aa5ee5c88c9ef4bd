extension ListWalk {
    /// A page request and its purpose.
    struct PageFetch: Sendable {
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
    func nextFetch(isShort: Bool) -> PageFetch? {
        switch paging {
        case .keyset: nextByKey(isShort: isShort)
        case .offset: nextByOffset(isShort: isShort)
        }
    }

    private func nextByKey(isShort: Bool) -> PageFetch? {
        let size = max(configuration.pageSize, 2)
        if isPlain { return PageFetch(.plain, .keyset(after: prefix.last, size: size)) }
        guard largestPage > 1 else { return nil }
        if isShort || prefix.endIsShown || prefix.hasAllOfTotal, !prefix.wasProbed {
            return PageFetch(.probe, .keyset(after: prefix.last, size: size))
        }
        return PageFetch(.overlapping(1), .keyset(after: prefix.secondToLast, size: size))
    }

    private func nextByOffset(isShort: Bool) -> PageFetch? {
        let size = configuration.pageSize
        if isPlain {
            // A short first page is either the server's page size or the whole list.
            return PageFetch(.plain, .offset(index: prefix.plainPages, size: max(prefix.firstPage, 1)))
        }
        let most = min(largestPage, max(size, 2))
        if isShort || prefix.endIsShown, !prefix.wasProbed {
            return PageFetch(.probe, PageSelection.beginning(prefix.place, size: most))
        }
        if let selection = PageSelection.overlapping(prefix.place, size: most) {
            return PageFetch(.overlapping(selection.repeated), selection.request)
        }
        // For walks by very few items, and at the end of the list, the smallest larger size that overlaps is used.
        guard most >= max(size, 2) || prefix.isEmptyAfterLast else { return nil }
        var larger = most + 1
        while prefix.place.isMultiple(of: larger) { larger += 1 }
        let request = PageRequest.offset(index: prefix.place / larger, size: larger)
        return PageFetch(.overlapping(prefix.place % larger), request)
    }
}
