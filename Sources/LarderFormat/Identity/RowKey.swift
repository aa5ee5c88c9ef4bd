/// The full name of a row: its resource, its type, and its key within both.
///
/// Row keys are compared, hashed and ordered by the bytes of the encoding, so keys that are canonical decimals of
/// 64-bit integers sort as numbers, before text. FORMAT.md, "Record keys".
///
/// ```swift
/// let key = RowKey(resource: ResourceKey("translations", 19), type: "translation", key: "85108")
/// let payload = try store.read { view in try view.payload(at: key) }
/// print(payload?.count ?? 0, "bytes")
/// ```
public struct RowKey: Hashable, Sendable {
    /// The resource that the row belongs to.
    public var resource: ResourceKey
    /// The type; its encoding is at most ``Limits/rowType`` bytes.
    public var type: String
    /// The key within resource and type.
    public var key: String

    /// Names a row. The whole encoding must fit ``Limits/rowAddress``; each use checks that.
    public init(resource: ResourceKey, type: String, key: String) {
        self.resource = resource
        self.type = type
        self.key = key
    }

    /// Whether both name the same bytes.
    public static func == (left: RowKey, right: RowKey) -> Bool {
        left.resource == right.resource && left.type.equalsBytewise(right.type) && left.key.equalsBytewise(right.key)
    }

    /// Feeds every part, bytewise, to `hasher`.
    public func hash(into hasher: inout Hasher) {
        resource.hash(into: &hasher)
        type.hashBytewise(into: &hasher)
        key.hashBytewise(into: &hasher)
    }
}

extension RowKey: Comparable {
    /// The order of the encoded keys: by resource, then type, then record key.
    public static func < (left: RowKey, right: RowKey) -> Bool {
        if left.resource != right.resource { return left.resource < right.resource }
        if !left.type.equalsBytewise(right.type) { return left.type.precedesBytewise(right.type) }
        return RecordKey.precedes(left.key, right.key)
    }
}
