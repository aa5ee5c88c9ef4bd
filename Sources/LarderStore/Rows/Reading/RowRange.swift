public import LarderFormat

/// A range of the rows of a resource, in key order.
///
/// Within a type, keys that are decimal numbers come first and sort as numbers; the others follow in byte order.
///
/// ```swift
/// let range = RowRange.keys(from: "1", upTo: "101", type: "translation", of: resource)  // as numbers
/// let rows = try store.read { view in try view.rows(in: range, limit: 20) }
/// for row in rows { print(row.key.key, row.payload.count) }
/// ```
public struct RowRange: Hashable, Sendable {
    enum Bounds: Hashable, Sendable {
        case all
        case type(String)
        case prefix(type: String, prefix: String)
        case keys(type: String, from: String?, upTo: String?)
        case between(type: String, lower: Lower, through: String?)
        case behind(type: String, key: String)
    }

    enum Lower: Hashable, Sendable {
        case from(String)
        case after(String)
        case start
    }

    /// The resource whose rows to read.
    public let resource: ResourceKey
    let bounds: Bounds

    /// Every row of the resource.
    public static func all(of resource: ResourceKey) -> RowRange {
        RowRange(resource: resource, bounds: .all)
    }

    /// The rows of one type.
    public static func type(_ type: String, of resource: ResourceKey) -> RowRange {
        RowRange(resource: resource, bounds: .type(type))
    }

    /// The rows of one type whose key begins with `prefix`: decimal keys first, in the order of their numbers, then the
    /// others by their bytes.
    ///
    /// `"10"` covers the keys `10`, `100`, `1099` and `10-b`. An empty prefix covers the whole type. A prefix that can
    /// begin a decimal number costs up to 19 lookups more than another one.
    public static func prefix(_ prefix: String, type: String, of resource: ResourceKey) -> RowRange {
        RowRange(resource: resource, bounds: .prefix(type: type, prefix: prefix))
    }

    /// The rows of one type from the key `from` on, up to but without `upTo`.
    ///
    /// - Parameters:
    ///   - from: nil is the start of the type.
    ///   - upTo: nil is the end of the type.
    ///   - type: the type of the rows.
    ///   - resource: the resource of the rows.
    public static func keys(
        from: String? = nil, upTo: String? = nil, type: String, of resource: ResourceKey
    ) -> RowRange {
        RowRange(resource: resource, bounds: .keys(type: type, from: from, upTo: upTo))
    }

    /// The rows of one type after the key `after`, up to and with `through`.
    ///
    /// - Parameters:
    ///   - after: nil is the start of the type.
    ///   - through: nil is the end of the type.
    ///   - type: the type of the rows.
    ///   - resource: the resource of the rows.
    public static func keys(
        after: String?, through: String?, type: String, of resource: ResourceKey
    ) -> RowRange {
        let lower = after.map { Lower.after($0) } ?? .start
        return RowRange(resource: resource, bounds: .between(type: type, lower: lower, through: through))
    }

    /// The rows of one type from the key `from` on, up to and with `through` (nil is the end of the type).
    public static func keys(
        from: String, through: String?, type: String, of resource: ResourceKey
    ) -> RowRange {
        RowRange(resource: resource, bounds: .between(type: type, lower: .from(from), through: through))
    }

    /// The rows of the resource behind the row with this type and key: of its type, then of the others.
    package static func all(of resource: ResourceKey, afterType type: String, key: String) -> RowRange {
        RowRange(resource: resource, bounds: .behind(type: type, key: key))
    }

    /// The first encoded key within the range, and the first one after it.
    func encoded(generation: Int64) throws(StoreError) -> (start: [UInt8], end: [UInt8]) {
        try encoded { (key) throws(FormatError) in try key.append(integer: generation) }
    }

    /// As ``encoded(generation:)``, for the keys of overlaid rows.
    func encodedInOverlay() throws(StoreError) -> (start: [UInt8], end: [UInt8]) {
        try encoded { (key) throws(FormatError) in try key.append(resource: resource) }
    }

    private func encoded(
        _ appendOwner: (inout KeyBuffer) throws(FormatError) -> Void
    ) throws(StoreError) -> (start: [UInt8], end: [UInt8]) {
        do throws(FormatError) {
            var start = KeyBuffer()
            try appendOwner(&start)
            // The owner row has the generation alone as its key, so rows begin after it.
            guard let type else { return (start.array() + [0], endOfKeys(beginningWith: start.array())) }
            try Limits.check(rowType: type)
            try start.append(text: type)
            switch bounds {
            case .all, .type:
                return (start.array(), endOfKeys(beginningWith: start.array()))
            case .prefix(_, let prefix):
                try start.append(text: prefix)
                let open = start.array().dropLast()
                return (Array(open), endOfKeys(beginningWith: Array(open)))
            case .keys(_, let from, let upTo):
                var end = KeyBuffer()
                try appendOwner(&end)
                try end.append(text: type)
                let typeEnd = endOfKeys(beginningWith: end.array())
                if let upTo { try end.append(recordKey: upTo) }
                if let from { try start.append(recordKey: from) }
                return (start.array(), upTo == nil ? typeEnd : end.array())
            case .between(_, let lower, let through):
                let typeStart = start.array()
                guard let through else { return (try Self.start(start, lower), endOfKeys(beginningWith: typeStart)) }
                var end = KeyBuffer()
                try appendOwner(&end)
                try end.append(text: type)
                try end.append(recordKey: through)
                return (try Self.start(start, lower), end.array() + [0])
            case .behind(_, let key):
                var owner = KeyBuffer()
                try appendOwner(&owner)
                return (try Self.start(start, .after(key)), endOfKeys(beginningWith: owner.array()))
            }
        } catch {
            throw .invalid(error)
        }
    }

    /// The first key at or after a lower bound within a type.
    private static func start(_ type: consuming KeyBuffer, _ lower: Lower) throws(FormatError) -> [UInt8] {
        switch lower {
        case .start: return type.array()
        case .from(let key):
            try type.append(recordKey: key)
            return type.array()
        case .after(let key):
            try type.append(recordKey: key)
            // No record key is the beginning of another, so the key with one more byte sorts before the next.
            return type.array() + [0]
        }
    }

    private var type: String? {
        switch bounds {
        case .all: nil
        case .type(let type), .prefix(let type, _), .keys(let type, _, _), .between(let type, _, _),
            .behind(let type, _):
            type
        }
    }
}
