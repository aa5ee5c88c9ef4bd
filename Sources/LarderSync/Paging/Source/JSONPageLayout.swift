internal import LarderFormat
internal import LarderJSON

/// The layout of a JSON body that contains one page of a list.
///
/// A place is a path of member names from the root. The item's payload is the element of the array as it is on the
/// wire.
public struct JSONPageLayout: Hashable, Sendable {
    /// The way a response says whether more items follow.
    public enum Continuation: Hashable, Sendable {
        /// The response does not say it: pages are requested until nothing follows.
        case unstated
        /// A boolean at this place. Before rows are deleted, unless the policy is `.trust`, the page after the last one
        /// is requested anyway. Its status has to be 204, 400, 404, 410 or 416, or its items only those of the last or
        /// the first page.
        case flag([String])
        /// The number of all items at this place; used only when paging by offset.
        case total([String])
    }

    /// The place of the array of items; empty where the body is the array.
    public var items: [String]
    /// The member of an item that is its key: a string, or a number without fraction, which becomes its decimal text.
    public var key: String
    /// The member of an item that says when it changed, if there is one: an RFC 3339 date-time, or milliseconds since
    /// 1970-01-01 UTC as a number.
    public var updatedAt: String?
    /// The way the response says whether more items follow.
    public var continuation: Continuation

    /// A layout of the given parts; without any, the body is an array of objects with an `id`.
    public init(
        items: [String] = [], key: String = "id", updatedAt: String? = nil, continuation: Continuation = .unstated
    ) {
        self.items = items
        self.key = key
        self.updatedAt = updatedAt
        self.continuation = continuation
    }
}

extension JSONPageLayout {
    /// Reads the response to `request`.
    ///
    /// - Throws: ``WireError`` with the path of a member that does not match the layout.
    /// - Complexity: O(*n*) for *n* bytes and as many places as the layout names.
    func page(_ body: [UInt8], for request: PageRequest) throws(WireError) -> ListPage {
        var list = 0..<body.count
        if !items.isEmpty {
            guard case .array(let range)? = try Self.find(items, in: body) else {
                throw .wrongType(path: Self.path(items), expected: .array)
            }
            list = range
        }
        let parser = JSONItemParser(layout: self, path: Self.path(items))
        var page = ListPage(items: try parser.items(body.rawSpan.bytes.extracting(list)))
        try readContinuation(body, request, &page)
        return page
    }

    private func readContinuation(
        _ body: [UInt8], _ request: PageRequest, _ page: inout ListPage
    ) throws(WireError) {
        switch continuation {
        case .unstated: break
        case .flag(let place):
            guard case .boolean(let flag)? = try Self.find(place, in: body) else {
                throw .wrongType(path: Self.path(place), expected: .boolean)
            }
            page.hasMore = flag
        case .total(let place):
            guard case .integer(let total)? = try Self.find(place, in: body) else {
                throw .wrongType(path: Self.path(place), expected: .integer)
            }
            guard total >= 0 else { throw .outOfRange(path: Self.path(place)) }
            guard case .offset(let index, let size) = request else { return }
            page.total = Int(total)
            // The items received count, since the server may return fewer than requested. A million pages of some ten
            // thousand items are far from the bounds of 64 bits.
            page.hasMore = index * size + page.items.count < total
        }
    }

    /// Returns the value at a place, or nil where there is none.
    private static func find(_ place: [String], in body: [UInt8]) throws(WireError) -> JSONValue? {
        var reader = BodyReader(body.rawSpan.bytes)
        try reader.beginObject(path: "")
        let found = try find(place.map { Array($0.utf8) }[...], &reader)
        try reader.finish()
        return found
    }

    /// Returns the value at a place in the object just begun, and reads the object to its end.
    private static func find(
        _ place: ArraySlice<[UInt8]>, _ reader: inout BodyReader
    ) throws(WireError) -> JSONValue? {
        var found: JSONValue?
        var isSeen = false
        while try reader.member(of: Array(place.prefix(1))) != nil {
            guard !isSeen else { throw .duplicate(path: "".member(place[place.startIndex])) }
            isSeen = true
            let token = try reader.token()
            if place.count > 1, token == .objectBegin {
                found = try find(place.dropFirst(), &reader)
            } else {
                let value = try reader.value(of: token)
                if place.count == 1 { found = value }
            }
        }
        return found
    }

    private static func path(_ place: [String]) -> String { place.joined(separator: ".") }
}
