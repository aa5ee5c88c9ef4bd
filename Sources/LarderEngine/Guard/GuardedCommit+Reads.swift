internal import CLMDB

extension GuardedCommit {
    /// Returns the value of `key`, in checked pages.
    ///
    /// A key between two others of a leaf is absent; one before the first or after the last is where the neighbors of
    /// the leaf do not have it either.
    ///
    /// - Throws: ``EngineError/damagedPage(number:reason:)``; an error of the system.
    @_lifetime(copy self)
    func value(forKey key: RawSpan, in table: Table) throws(EngineError) -> RawSpan? {
        guard let root = try root(of: table) else { return nil }
        let place = try leaf(of: key, below: root)
        let leaf = knownLeaf(place.number)
        let (index, isFound) = search(key, in: leaf)
        if isFound {
            let size = leaf.valueSize(index)
            let stored = leaf.key(index).upperBound
            let start = try leaf.isLarge(index) ? largeValue(on: map.u64(stored), size, place.number) : stored
            return map.extracting(start..<start + size)
        }
        if index == 0 || index == leaf.count { try checkEdges(of: key, below: root, place) }
        return nil
    }

    /// Checks the pages that liblmdb reads to find `key`, or the first key after it.
    func check(_ key: RawSpan, in table: Table) throws(EngineError) {
        _ = try value(forKey: key, in: table)
    }

    /// Checks the pages up to the first or the last leaf of `table`.
    func check(_ end: End, of table: Table) throws(EngineError) {
        if let root = try root(of: table) { _ = try leaf(atEnd: end, below: root) }
    }

    /// Checks the leaves beside that of a key: the pages that liblmdb reads to leave it.
    func checkNeighbors(ofLeafWith key: RawSpan, in table: Table) throws(EngineError) {
        guard let root = try root(of: table) else { return }
        try checkEdges(of: key, below: root, leaf(of: key, below: root))
    }

    /// A checked leaf, and the places of its first and its last key; offsets in the map.
    struct LeafEnds {
        let page: Range<UInt>
        let firstKey: UInt
        let lastKey: UInt
        /// Whether the leaves beside it are checked.
        let hasCheckedNeighbors: Bool
    }

    /// Returns the leaf around an offset in the map; nil where that page is not a checked one, as those are that the
    /// transaction has changed.
    func ends(ofLeafAt offset: UInt) -> LeafEnds? {
        let number = UInt64(offset) / UInt64(pages.pageSize)
        let notes = pages.notes(of: number)
        guard offset < map.byteCount, notes.contains(.inside) else { return nil }
        let leaf = knownLeaf(number)
        let start = UInt(leaf.start)
        return LeafEnds(
            page: start..<start + UInt(pages.pageSize), firstKey: UInt(leaf.key(0).lowerBound),
            lastKey: UInt(leaf.key(leaf.count - 1).lowerBound),
            hasCheckedNeighbors: isFirst && notes.contains(.edges))
    }

    /// Checks the pages of a large value that liblmdb has returned.
    func checkLargeValue(at offset: Int, _ size: Int) throws(EngineError) {
        let number = UInt64(offset / pages.pageSize)
        guard try largeValue(on: number, size, number) == offset else {
            throw pages.damage(number, "the pages of a large value are others")
        }
    }

    /// Checks the pages that liblmdb reads, and those that it may change, to remove `key`.
    ///
    /// It merges a page with one beside it, on each level, and then reads the first leaf below. The branch pages, which
    /// the check before the first write has read, are met again on the way.
    func checkRemoval(of key: RawSpan, in table: Table) throws(EngineError) {
        guard let root = try root(of: table) else { return }
        try check(key, in: table)
        try checkEdges(of: key, below: root)
        var place = root
        while true {
            let page = try page(place)
            if page.isLeaf { return }
            let index = index(of: key, in: page)
            for sibling in max(0, index - 1)...min(index + 1, page.count - 1) {
                _ = try leaf(atEnd: .first, below: child(page, sibling, place))
            }
            place = child(page, index, place)
        }
    }

    private func checkEdges(of key: RawSpan, below root: Place, _ leaf: Place) throws(EngineError) {
        if isFirst, pages.notes(of: leaf.number).contains(.edges) { return }
        try checkEdges(of: key, below: root)
    }

    /// Returns a leaf that was checked before.
    @_lifetime(copy self)
    private func knownLeaf(_ number: UInt64) -> Page {
        Page(map, at: Int(number) * pages.pageSize, isLeaf: true)
    }

    /// Returns the offset in the map of a large value.
    ///
    /// - Parameters:
    ///   - number: the first page of the value.
    ///   - leaf: the page that names it.
    private func largeValue(on number: UInt64, _ size: Int, _ leaf: UInt64) throws(EngineError) -> Int {
        guard number >= 2, number < end else { throw pages.damage(leaf, "a large value is beyond the file") }
        let isChecked = pages.notes(of: number).contains(.inside)
        if !isChecked {
            TableAccess.pageCheck.record()
            try probe(number)
        }
        let start = Int(number) * pages.pageSize
        let count = UInt64(map.u32(start + 12))
        // A value that became shorter within one transaction keeps all of its pages.
        let needed = UInt64((size + PageLayout.headerSize + pages.pageSize - 1) / pages.pageSize)
        guard map.u64(start) == number, map.u16(start + 10) == 0x04, count >= needed, count <= end - number else {
            throw pages.damage(number, "the pages of a large value are others")
        }
        if isChecked { return start + PageLayout.headerSize }
        for page in number..<number + needed {
            if page > number { try probe(page) }
            if isFirst, try pages.isFree(page) { throw pages.damage(page, "it is free, and used") }
        }
        pages.add(.inside, to: number)
        return start + PageLayout.headerSize
    }
}
