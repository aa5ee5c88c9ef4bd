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
    /// - Complexity: O(*m* + log *n*) for a page of *m* of *n* rows, O(*n*) for one type; O(*n* log *n*) for the first
    ///   page after rows were created or deleted. Other requests wait for none of it.
    public func list(of resource: ResourceID, _ query: ListQuery) throws(OriginProblem) -> [UInt8] {
        let table = state.withLock { state in
            state.resources[resource].flatMap { $0.published == nil ? nil : $0.rows }
        }
        guard let table else { throw .notFound }
        let all = table.order.places(of: table.entries)
        let places = query.type.map { type in all.filter { table.entries[$0.index]?.key.type == type } } ?? all
        let start: Int
        switch query.start {
        case .page(let index):
            let (skipped, overflow) = index.multipliedReportingOverflow(by: query.size)
            start = overflow ? places.count : min(skipped, places.count)
        case .after(let key):
            start = ListOrder.start(after: key, in: places)
        }
        let rows = places[start...].prefix(query.size).compactMap { table.entries[$0.index]?.body }
        return Self.listBody(rows, total: places.count, hasMore: places.count - start > query.size)
    }

    /// Returns the body of a response with these rows.
    package static func listBody(_ items: [[UInt8]], total: Int, hasMore: Bool) -> [UInt8] {
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
