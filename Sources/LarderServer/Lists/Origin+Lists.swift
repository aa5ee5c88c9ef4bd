import LarderJSON
import Synchronization

extension Origin {
    /// Returns one page of the rows of a public resource in key order, as of now: the body of a response.
    ///
    /// `{"items":[…],"total":n,"has_more":b}`: the rows as sent over the wire, the number of all, and whether some
    /// follow. Keys that are decimal numbers come first, by value, then the others by their UTF-8 bytes, rows of the
    /// same key by type. This is the interface of a server without sync.
    ///
    /// - Throws: ``OriginProblem/notFound`` when the resource is hidden or was never created.
    /// - Complexity: O(*n* log *n*) for *n* rows, for each page.
    public func list(of resource: ResourceID, _ query: ListQuery) throws(OriginProblem) -> [UInt8] {
        let table = state.withLock { state in
            state.resources[resource].flatMap { $0.published == nil ? nil : $0.rows }
        }
        guard let table else { throw .notFound }
        var rows: [(place: ListPosition, body: [UInt8])] = []
        for case let entry? in table.entries where query.type == nil || entry.key.type == query.type {
            rows.append((ListPosition(entry.key.key, type: entry.key.type), entry.body))
        }
        rows.sort { $0.place < $1.place }
        let rest: ArraySlice<(place: ListPosition, body: [UInt8])>
        switch query.start {
        case .page(let index):
            let (skipped, overflow) = index.multipliedReportingOverflow(by: query.size)
            rest = rows.dropFirst(overflow ? .max : skipped)
        case .after(let key):
            let before = ListPosition(key, type: nil)
            rest = rows.drop { !($0.place.isAfter(before)) }
        }
        return Self.body(rest.prefix(query.size).map(\.body), total: rows.count, hasMore: rest.count > query.size)
    }

    private static func body(_ items: [[UInt8]], total: Int, hasMore: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"items\":[")
        for (index, item) in items.enumerated() {
            if index > 0 { writer.raw(",") }
            writer.raw(item)
        }
        writer.raw("],\"total\":")
        writer.integer(Int64(total))
        writer.raw(",\"has_more\":")
        writer.boolean(hasMore)
        writer.raw("}")
        return writer.bytes
    }
}

/// The position of a row in a list: decimal numbers by value, then texts by their UTF-8 bytes, then types.
private struct ListPosition: Comparable {
    private let number: Int64?
    private let key: [UInt8]
    private let type: [UInt8]

    init(_ key: String, type: String?) {
        // Only the canonical form is a number: `01` and `+1` are texts.
        number = Int64(key).flatMap { String($0) == key ? $0 : nil }
        self.key = Array(key.utf8)
        self.type = Array((type ?? "").utf8)
    }

    static func < (left: ListPosition, right: ListPosition) -> Bool {
        left.key == right.key ? left.type.lexicographicallyPrecedes(right.type) : right.isAfter(left)
    }

    /// Returns whether its key is after that of another place.
    func isAfter(_ other: ListPosition) -> Bool {
        switch (number, other.number) {
        case (let own?, let other?): own > other
        case (_?, nil): false
        case (nil, _?): true
        case (nil, nil): other.key.lexicographicallyPrecedes(key)
        }
    }
}
