#if canImport(Glibc)
private import Glibc
#elseif canImport(Darwin)
private import Darwin
#endif

extension GuardedCommit {
    /// A page whose layout is checked.
    struct Page: ~Escapable {
        private let map: RawSpan
        /// The offset of the page in the map.
        let start: Int
        let isLeaf: Bool
        /// The number of nodes.
        let count: Int

        @_lifetime(copy map)
        @inline(__always)
        init(_ map: RawSpan, at start: Int, isLeaf: Bool) {
            self.map = map
            self.start = start
            self.isLeaf = isLeaf
            count = (Int(map.u16(start + 12)) - PageLayout.headerSize) / 2
        }

        /// Whether the page says that it is of that kind.
        @inline(__always)
        var isOfItsKind: Bool { map.u16(start + 10) == (isLeaf ? 0x02 : 0x01) }

        /// The offset of a node in the map.
        @inline(__always)
        func node(_ index: Int) -> Int { start + Int(map.u16(start + PageLayout.headerSize + 2 * index)) }

        /// The range of a node's key in the map.
        @inline(__always)
        func key(_ index: Int) -> Range<Int> {
            let node = node(index)
            let first = node + PageLayout.nodeHeaderSize
            return unsafe Range(uncheckedBounds: (first, first + Int(map.u16(node + 6))))
        }

        /// The page below a node of a branch page.
        @inline(__always)
        func child(_ index: Int) -> UInt64 {
            let node = node(index)
            return UInt64(map.u32(node)) | UInt64(map.u16(node + 4)) << 32
        }

        /// Whether a leaf's value is in pages of its own. LMDB: `F_BIGDATA`.
        @inline(__always)
        func isLarge(_ index: Int) -> Bool { map.u16(node(index) + 4) & 0x01 != 0 }

        /// Whether a leaf's value describes a tree. LMDB: `F_SUBDATA`.
        func isTree(_ index: Int) -> Bool { map.u16(node(index) + 4) & 0x02 != 0 }

        /// The size of a leaf's value, in bytes.
        @inline(__always)
        func valueSize(_ index: Int) -> Int { Int(map.u32(node(index))) }
    }

    /// Returns a page, checked as far as it has not been before, and its place among the others.
    @_lifetime(copy self)
    func page(_ place: Place) throws(EngineError) -> Page {
        let page = try checkedPage(place)
        try checkBounds(of: page, place)
        if isFirst { try checkUse(of: page, place) }
        return page
    }

    /// Returns a page, checked by itself as far as it has not been before.
    @_lifetime(copy self)
    private func checkedPage(_ place: Place) throws(EngineError) -> Page {
        let number = place.number
        guard number >= 2, number < end else {
            throw pages.damage(number, "a page is named that the file does not have")
        }
        guard place.level >= 1 else { throw pages.damage(number, "the tree has another depth") }
        if !notes.of(number).contains(.inside) { try examine(place) }
        let page = knownPage(number, isLeaf: place.level == 1)
        guard page.isOfItsKind else { throw pages.damage(number, "its kind is another") }
        return page
    }

    /// Throws unless the keys of a page lie between the separators above it.
    @inline(__always)
    private func checkBounds(of page: Page, _ place: Place) throws(EngineError) {
        let first = page.isLeaf ? 0 : 1
        guard first < page.count else { return }
        if let low = place.low, order(page.key(first), low) < 0 {
            throw pages.damage(place.number, "its keys are out of order")
        }
        if let high = place.high, order(page.key(page.count - 1), high) >= 0 {
            throw pages.damage(place.number, "its keys are out of order")
        }
    }

    /// Checks a page that is met for the first time.
    @inline(never)
    private func examine(_ place: Place) throws(EngineError) {
        let number = place.number
        TableAccess.pageCheck.record()
        try probe(number)
        if isFirst, try pages.isFree(number) { throw pages.damage(number, "it is free, and used") }
        let start = Int(number) * pageSize
        let isLeaf = place.level == 1
        if let reason = PageLayout.problem(
            of: map, at: start, size: pageSize, number: number, isLeaf: isLeaf)
        {
            throw pages.damage(number, reason)
        }
        let page = Page(map, at: start, isLeaf: isLeaf)
        let first = isLeaf ? 0 : 1
        for index in first..<max(first, page.count) {
            guard index == first || order(page.key(index - 1), page.key(index)) < 0 else {
                throw pages.damage(number, "its keys are out of order")
            }
            guard !page.key(index).isEmpty else { throw pages.damage(number, "a key has another size") }
            guard !isLeaf || !page.isTree(index) else {
                throw pages.damage(number, "a node has unknown flags")
            }
        }
        pages.add(.inside, to: number)
    }

    /// Reads a byte of each of the system's pages of a page by the system, which reports what the medium cannot read.
    func probe(_ number: UInt64) throws(EngineError) {
        for offset in stride(from: 0, to: pageSize, by: 4096) {
            var byte: UInt8 = 0
            let place = off_t(number) * off_t(pageSize) + off_t(offset)
            var count = unsafe pread(pages.data.number, &byte, 1, place)
            while count < 0, errno == EINTR { count = unsafe pread(pages.data.number, &byte, 1, place) }
            if count == 1 { continue }
            if count == 0 { throw pages.damage(number, "it is cut short") }
            // It may return it the next time: only a check of all pages calls such a page damaged.
            throw EngineError(code: errno, operation: "pread")
        }
    }

    /// Throws where another table of the first commit leads to the page, which may have keys that fit the place.
    @inline(__always)
    private func checkUse(of page: Page, _ place: Place) throws(EngineError) {
        let (note, own) = (notes.of(place.number), PageNotes.Note.alone(in: place.table))
        guard note.contains(.alone) else { return try compareUses(of: page, place, own) }
        // Read once: another thread may have noted meanwhile what this one looks for.
        guard let own, note.matches(own) else { throw pages.damage(place.number, "it is used twice") }
    }

    /// Looks the page up in all tables, and notes that only its own leads to it.
    @inline(never)
    private func compareUses(of page: Page, _ place: Place, _ own: PageNotes.Note?) throws(EngineError) {
        guard let tables = pages.first?.tables else { return }
        var leading = 0
        for (_, tree) in tables where tree.root != TreeDescription.none && Int(tree.depth) >= place.level {
            if tree.root == place.number {
                leading += 1
            } else if Int(tree.depth) > place.level, try leads(tree, to: page, place) {
                leading += 1
            }
        }
        guard leading <= 1 else { throw pages.damage(place.number, "it is used twice") }
        if let own { pages.add(own, to: place.number) }
    }

    /// Whether a tree leads to a page by one of the keys on it.
    private func leads(_ tree: TreeDescription, to page: Page, _ place: Place) throws(EngineError) -> Bool {
        let first = page.isLeaf ? 0 : 1
        guard first < page.count else { return false }
        let key = map.extracting(page.key(first))
        var next = Place(number: tree.root, level: Int(tree.depth), table: place.table, low: nil, high: nil)
        do throws(EngineError) {
            while next.level > place.level {
                let above = try checkedPage(next)
                next = child(above, index(of: key, in: above), next)
            }
        } catch  where error.isOfStoredBytes {
            // A read of that table throws it.
            return false
        }
        return next.number == place.number
    }
}
