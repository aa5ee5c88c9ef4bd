public import LarderFormat
public import LarderStore

/// An object as it is kept.
public struct StoredObject: Hashable, Sendable {
    /// Class and id.
    public var name: ObjectName
    /// When the server last changed it, or when it came, in milliseconds since 1970-01-01 UTC.
    public var updatedAt: Int64
    /// How the payload is to be read.
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

    /// The payload as a value.
    ///
    /// - Throws: ``StoreError/unexpectedCodec(stored:expected:)``; what the coder throws.
    public func value<Value: Decodable>(_ type: Value.Type, using coder: some PayloadCoder) throws -> Value {
        guard codec == coder.codec else { throw StoreError.unexpectedCodec(stored: codec, expected: coder.codec) }
        return try coder.decode(type, from: payload.rawSpan)
    }
}

/// The objects of a collection, as they are now.
public struct ObjectCollection: Hashable, Sendable {
    /// What it is known by.
    public var name: CollectionName
    /// Its objects, in its order.
    public var objects: [StoredObject]
    /// Those it holds that are not kept any more: removed, or dropped to make room.
    public var missing: [ObjectName]

    /// A collection of these parts.
    public init(name: CollectionName, objects: [StoredObject], missing: [ObjectName] = []) {
        self.name = name
        self.objects = objects
        self.missing = missing
    }

    /// Whether every object it holds is there.
    public var isComplete: Bool { missing.isEmpty }
}

/// Which of the objects a stored collection holds are shown.
public enum ObjectMembership: Sendable {
    /// Those that it was fetched with, whatever has become of them since.
    case asFetched
    /// Of those, the ones that fit now. None is added: what else the server has is not known.
    case reevaluated(@Sendable (StoredObject) -> Bool)

    func shows(_ object: StoredObject) -> Bool {
        switch self {
        case .asFetched: true
        case .reevaluated(let fits): fits(object)
        }
    }
}
