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
        if let value = try knownValue(forKey: key, below: root) { return value }
        let place = try leaf(of: key, below: root)
        let leaf = knownPage(place.number, isLeaf: true)
        let (index, isFound) = search(key, in: leaf)
        if isFound { return try value(at: index, on: leaf, place.number) }
        if index == 0 || index == leaf.count { try checkEdges(of: key, below: root, place) }
        return nil
    }

    /// Returns the value of `key` where pages that were checked before lead to it; nil where they do not.
    ///
    /// The keys of a page are not compared with the separators above it. That would show that the way leads elsewhere,
    /// where a key of the table is not found; this one is.
    @_lifetime(copy self)
    private func knownValue(forKey key: RawSpan, below root: Place) throws(EngineError) -> RawSpan? {
        TableAccess.descent.record()
        guard let needed = isFirst ? PageNotes.Note.alone(in: root.table) : [] else { return nil }
        var (number, level) = (root.number, root.level)
        while level >= 1, number >= 2, number < end, isKnown(number, needed) {
            let page = knownPage(number, isLeaf: level == 1)
            guard page.isOfItsKind else { return nil }
            if page.isLeaf {
                let (index, isFound) = search(key, in: page)
                return isFound ? try value(at: index, on: page, number) : nil
            }
            number = page.child(index(of: key, in: page))
            level -= 1
        }
        return nil
    }

    @inline(__always)
    private func isKnown(_ number: UInt64, _ needed: PageNotes.Note) -> Bool {
        let note = notes.of(number)
        return note.contains(.inside) && (needed.isEmpty || note.matches(needed))
    }

    /// Returns the value of a node of a leaf.
    @_lifetime(copy self)
    @inline(__always)
    private func value(at index: Int, on leaf: borrowing Page, _ number: UInt64) throws(EngineError) -> RawSpan {
        let size = leaf.valueSize(index)
        let stored = leaf.key(index).upperBound
        let start = try leaf.isLarge(index) ? largeValue(on: map.u64(stored), size, number) : stored
        return map.extracting(start..<start + size)
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

    /// A checked leaf.
    struct Leaf {
        /// The offset of the page in the map.
        let page: Int
        /// The number of nodes.
        let count: Int
        /// Whether the leaves beside it are checked.
        let hasCheckedNeighbors: Bool
    }

    /// Returns the offset in the map of a key, and the sizes of it and of its value, which follows it, of a checked leaf;
    /// nil where the value is in pages of its own, or not in the map.
    @inline(__always)
    static func smallNode(
        _ index: Int, ofLeafAt page: Int, in map: RawSpan
    ) -> (key: Int, keySize: Int, valueSize: Int)? {
        let node = page &+ Int(map.u16(page &+ PageLayout.headerSize &+ 2 &* index))
        // The size of the value, the flags, and the size of the key.
        let header = map.u64(node)
        let (valueSize, keySize) = (Int(header & 0xFFFF_FFFF), Int(header >> 48))
        let key = node &+ PageLayout.nodeHeaderSize
        guard header & 1 << 32 == 0, key &+ keySize &+ valueSize <= map.byteCount else { return nil }
        return (key, keySize, valueSize)
    }

    /// Returns the leaf of the key at an offset in the map, and its node; nil where the page is not a checked one, as
    /// those are that the transaction has changed.
    func leaf(ofKeyAt offset: UInt) -> (Leaf, index: Int)? {
        let number = UInt64(offset) / UInt64(pageSize)
        let note = notes.of(number)
        guard offset < map.byteCount, note.contains(.inside) else { return nil }
        let leaf = knownPage(number, isLeaf: true)
        let node = Int(offset) - PageLayout.nodeHeaderSize
        guard let index = (0..<leaf.count).first(where: { leaf.node($0) == node }) else { return nil }
        let hasCheckedNeighbors = isFirst && note.contains(.edges)
        return (Leaf(page: leaf.start, count: leaf.count, hasCheckedNeighbors: hasCheckedNeighbors), index)
    }

    /// Checks the pages of a large value that liblmdb has returned.
    func checkLargeValue(at offset: Int, _ size: Int) throws(EngineError) {
        let number = UInt64(offset / pageSize)
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
        if isFirst, notes.of(leaf.number).contains(.edges) { return }
        try checkEdges(of: key, below: root)
    }

    /// Returns the offset in the map of a large value.
    ///
    /// - Parameters:
    ///   - number: the first page of the value.
    ///   - leaf: the page that names it.
    private func largeValue(on number: UInt64, _ size: Int, _ leaf: UInt64) throws(EngineError) -> Int {
        guard number >= 2, number < end else { throw pages.damage(leaf, "a large value is beyond the file") }
        let isChecked = notes.of(number).contains(.inside)
        if !isChecked {
            TableAccess.pageCheck.record()
            try probe(number)
        }
        let start = Int(number) * pageSize
        let count = UInt64(map.u32(start + 12))
        // A value that became shorter within one transaction keeps all of its pages.
        let needed = UInt64((size + PageLayout.headerSize + pageSize - 1) / pageSize)
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
