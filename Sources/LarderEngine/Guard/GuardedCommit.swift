internal import CLMDB

/// The trees of one commit as liblmdb is about to read them: each page is checked when it is first met.
///
/// A page is read from the map, where liblmdb reads it afterwards, so that nothing is copied. Before that one byte of
/// it is read as from a file: where the medium fails, or the file ends, that is an error, but an access to the map ends
/// the process.
///
/// The way to a page is compared with what is on it each time, because a damaged page may lead to a sound one: its kind
/// is that of the level, and its keys lie between the separators above it.
@safe
struct GuardedCommit: ~Escapable {
    // The environment keeps it, and outlives every transaction.
    private let counted: Unmanaged<PageGuard>
    /// The notes of ``pages``. A read over known pages uses no reference, which would be counted.
    let notes: PageNotes
    let pageSize: Int
    private let transaction: OpaquePointer
    private let commit: UInt64
    /// The part of the map that the file fills.
    let map: RawSpan
    /// The first page that the commit cannot have.
    let end: UInt64
    /// Whether no commit has followed since the open.
    let isFirst: Bool

    /// - Parameter transaction: valid for as long as this is used; of a write transaction it is the commit before.
    @_lifetime(immortal)  // It is used within one call, during which the transaction stays open.
    init(_ pages: PageGuard, _ transaction: OpaquePointer, _ bounds: ValueBounds) {
        unsafe self.init(Unmanaged.passUnretained(pages), transaction, bounds)
    }

    /// As ``init(_:_:_:)-(PageGuard,_,_)``, without a use of a reference.
    @_lifetime(immortal)  // As above.
    @inline(__always)
    init(_ pages: Unmanaged<PageGuard>, _ transaction: OpaquePointer, _ bounds: ValueBounds) {
        let firstCommit: (number: UInt64, end: UInt64)?
        // The caller has it for the call.
        unsafe (notes, pageSize, firstCommit) = pages._withUnsafeGuaranteedRef { pages in
            (pages.notes, pages.pageSize, pages.firstCommit)
        }
        unsafe counted = pages
        unsafe self.transaction = transaction
        let number = UInt64(unsafe mdb_txn_id(transaction))
        commit = bounds.isWriting ? number &- 1 : number
        map = Self.map(bounds)
        // A division takes as long as a step of the way down. The size of a page is a power of two.
        let present = UInt64(map.byteCount) >> UInt64(pageSize.trailingZeroBitCount)
        if let first = firstCommit, first.number == commit {
            (isFirst, end) = (true, min(present, first.end))
        } else {
            (isFirst, end) = (false, present)
        }
    }

    /// Returns the part of the map that the file fills.
    @_lifetime(immortal)  // As of the initializer.
    @inline(__always)
    static func map(_ bounds: ValueBounds) -> RawSpan {
        // The bounds are those of the map, as far as the file goes.
        let buffer = unsafe UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: bounds.start), count: bounds.start == 0 ? 0 : Int(bounds.byteCount))
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: buffer), copying: ())
    }

    /// The guard of the file's pages.
    var pages: PageGuard { unsafe counted.takeUnretainedValue() }

    /// A page, and the separators above it: ranges of the map.
    struct Place {
        let number: UInt64
        let level: Int
        /// The identifier of the table.
        let table: UInt32
        /// Every key of the page is at or above this one.
        let low: Range<Int>?
        /// Every key of the page is below this one.
        let high: Range<Int>?
    }

    /// Returns the root of a table; nil where the table is empty.
    func root(of table: Table) throws(EngineError) -> Place? {
        var known = notes.root(of: table, in: commit)
        if known == nil { known = unsafe try pages.findRoot(of: table, in: commit, transaction) }
        guard let root = known, root.page != TreeDescription.none else { return nil }
        return Place(number: root.page, level: root.depth, table: table.identifier, low: nil, high: nil)
    }

    // MARK: Ways

    /// Returns the leaf where `key` would be.
    func leaf(of key: RawSpan, below root: Place) throws(EngineError) -> Place {
        TableAccess.descent.record()
        var place = root
        while true {
            let page = try page(place)
            if page.isLeaf { return place }
            place = child(page, index(of: key, in: page), place)
        }
    }

    /// Returns the first or the last leaf.
    func leaf(atEnd end: End, below place: Place) throws(EngineError) -> Place {
        var place = place
        while true {
            let page = try page(place)
            if page.isLeaf { return place }
            place = child(page, end == .first ? 0 : page.count - 1, place)
        }
    }

    enum End { case first, last }

    /// Checks the leaves before and after the leaf where `key` would be.
    ///
    /// A wrong separator may lead to one leaf where its neighbor has the key. Then a key of the neighbor is not on its
    /// side of the separator.
    func checkEdges(of key: RawSpan, below root: Place) throws(EngineError) {
        TableAccess.descent.record()
        var (place, before, after) = (root, Place?.none, Place?.none)
        while true {
            let page = try page(place)
            if page.isLeaf { break }
            let index = index(of: key, in: page)
            if index > 0 { before = child(page, index - 1, place) }
            if index + 1 < page.count { after = child(page, index + 1, place) }
            place = child(page, index, place)
        }
        if let before { _ = try leaf(atEnd: .last, below: before) }
        if let after { _ = try leaf(atEnd: .first, below: after) }
        if isFirst { pages.add(.edges, to: place.number) }
    }

    /// Returns the page at `number`, which was checked before.
    @_lifetime(copy self)
    @inline(__always)
    func knownPage(_ number: UInt64, isLeaf: Bool) -> Page { Page(map, at: Int(number) * pageSize, isLeaf: isLeaf) }

    /// Returns the child of a branch page below which `key` would be.
    @inline(__always)
    func index(of key: RawSpan, in page: Page) -> Int {
        // The first key of a branch page stands for everything below the second.
        let (index, isFound) = search(key, in: page, from: 1)
        return isFound ? index : index - 1
    }

    /// Returns the first node from `start` on whose key is at or after `key`, and whether it is that key.
    @inline(__always)
    func search(_ key: RawSpan, in page: Page, from start: Int = 0) -> (index: Int, isFound: Bool) {
        unsafe map.withUnsafeBytes { map in
            unsafe key.withUnsafeBytes { key in
                var (low, high) = (start, page.count)
                // The page is in the file, and a key has bytes.
                guard let file = map.baseAddress, let wanted = key.baseAddress else { return (low, false) }
                let keys = unsafe PageKeys(start: file + page.start, limit: map.count - page.start, count: high)
                while low < high {
                    let middle = (low &+ high) >> 1
                    let order = unsafe keys.order(middle, wanted, key.count)
                    if order == 0 { return (middle, true) }
                    if order < 0 { low = middle &+ 1 } else { high = middle }
                }
                return (low, false)
            }
        }
    }

    func child(_ page: Page, _ index: Int, _ place: Place) -> Place {
        Place(
            number: page.child(index), level: place.level - 1, table: place.table,
            low: index == 0 ? place.low : page.key(index),
            high: index + 1 == page.count ? place.high : page.key(index + 1))
    }

    // MARK: Order

    /// Returns a negative number where a key in the map sorts before `key`, 0 for the same, a positive one otherwise.
    func order(_ left: Range<Int>, _ right: RawSpan) -> Int {
        unsafe map.extracting(left).withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                // The shorter one is in both; where one has no bytes, there is no address.
                let count = min(left.count, right.count)
                guard count > 0, let first = left.baseAddress, let second = right.baseAddress else {
                    return left.count - right.count
                }
                return unsafe PageKeys.order(first, left.count, second, right.count)
            }
        }
    }

    func order(_ left: Range<Int>, _ right: Range<Int>) -> Int { order(left, map.extracting(right)) }
}
