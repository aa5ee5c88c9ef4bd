public import LarderFormat
public import LarderStore

/// An object as it is stored.
public struct StoredObject: Hashable, Sendable {
    /// The class and the id.
    public var name: ObjectName
    /// The time of the server's last change, or of the arrival, in milliseconds since 1970-01-01 UTC.
    public var updatedAt: Int64
    /// The codec of the payload.
    public var codec: PayloadCodec
    /// The payload, in the form the service gave it.
    public var payload: [UInt8]

    /// An object of these parts.
    public init(name: ObjectName, updatedAt: Int64, codec: PayloadCodec = .json, payload: [UInt8]) {
        self.name = name
        self.updatedAt = updatedAt
        self.codec = codec
        self.payload = payload
    }

    /// Returns the payload as a value.
    ///
    /// - Throws: `StoreError.unexpectedCodec(stored:expected:)` for another codec; the error of the coder.
    public func value<Value: Decodable>(_ type: Value.Type, using coder: some PayloadCoder) throws -> Value {
        guard codec == coder.codec else { throw StoreError.unexpectedCodec(stored: codec, expected: coder.codec) }
        return try coder.decode(type, from: payload.rawSpan)
    }
}

/// The objects of a collection, as they are now.
public struct ObjectCollection: Hashable, Sendable {
    /// The name of the collection.
    public var name: CollectionName
    /// Its objects, in its order.
    public var objects: [StoredObject]
    /// The objects it holds that are not stored any more: removed, or dropped to free space.
    public var missing: [ObjectName]

    /// A collection of these parts.
    public init(name: CollectionName, objects: [StoredObject], missing: [ObjectName] = []) {
        self.name = name
        self.objects = objects
        self.missing = missing
    }

    /// Whether every object it holds is stored.
    public var isComplete: Bool { missing.isEmpty }
}

/// The selection of the objects of a stored collection that are shown.
public enum ObjectMembership: Sendable {
    /// The objects that it was fetched with, whatever has become of them since.
    case asFetched
    /// The objects of the fetch that match now. None is added: it is unknown which others the server has.
    case reevaluated(@Sendable (StoredObject) -> Bool)

    func includes(_ object: StoredObject) -> Bool {
        switch self {
        case .asFetched: true
        case .reevaluated(let predicate): predicate(object)
        }
    }
}
