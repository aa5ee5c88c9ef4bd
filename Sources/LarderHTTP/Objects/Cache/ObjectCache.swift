internal import HTTPTypes
public import LarderFormat
public import LarderStore
public import LarderTransport
internal import Logging
internal import Synchronization

/// A cache of the objects of a server, with and without a connection.
///
/// An object is stored once, however many collections hold it, so a change of it shows in all of them. Each class is
/// kept in memory or in the store, as the host chose, and each request may choose otherwise.
///
/// The host decides what is stored here: `Cache-Control` has no effect.
///
/// A write or a removal made here during a request is newer than the response, which is then not stored over it.
/// Responses are not ordered among each other.
///
/// ```swift
/// let objects = ObjectCache.system(
///     service: service, transport: transport, store: store, outbox: outbox,
///     classes: [ObjectClass("User", persistence: .persistent)])
/// let name = ObjectName(class: "User", id: "7")
/// let user = try await objects.object(name)  // the server's version; without a connection the stored one
/// print(user.origin, user.value.payload.count)
/// try await objects.save(name, payload: Array(#"{"name":"Jane"}"#.utf8))  // sent, or queued and shown at once
/// ```
public final class ObjectCache: Sendable {
    struct State {
        /// The persistence of the classes, by the bytes of their names.
        var classes: [ResourceKey: ObjectPersistence] = [:]
        var persistent: ObjectBackend?
        /// The pass through the queue that is under way.
        var sending: Task<QueueReport, any Error>?
    }

    let service: any ObjectService
    let transport: any Transport
    let options: ObjectCacheOptions
    let host: HostServices
    let isOnline: @Sendable () -> Bool
    let memory: ObjectBackend
    /// The waiting writes of classes in memory.
    let writes = MemoryWrites()
    let order = ChangeOrder()
    /// The queue that admits one write to an object at a time, in the order of their calls: a later one must not reach
    /// the server first. A cancelled task keeps its position.
    let serializer = KeyedSemaphore<ObjectName>()
    let state: Mutex<State>

    /// Creates a cache of the objects that `service` offers.
    ///
    /// - Parameters:
    ///   - service: the rules for requests to the server.
    ///   - transport: sends the requests.
    ///   - memory: holds the classes that are not persistent.
    ///   - persistent: holds the others; without it, a request for them throws ``HTTPCacheError/notConfigured(_:)``.
    ///   - classes: classes that are persistent, or are not; all others are kept in memory.
    ///   - options: the behaviour unless a request specifies otherwise.
    ///   - host: the clock, random identifiers, and the log.
    ///   - isOnline: returns false to keep the cache from using the network at all.
    public init(
        service: any ObjectService, transport: any Transport, memory: ObjectBackend = .memory(),
        persistent: ObjectBackend? = nil,
        classes: [ObjectClass] = [], options: ObjectCacheOptions = ObjectCacheOptions(), host: HostServices,
        isOnline: @escaping @Sendable () -> Bool = { true }
    ) {
        self.service = service
        self.transport = transport
        self.options = options
        self.host = host
        self.isOnline = isOnline
        self.memory = memory
        state = Mutex(State(classes: [:], persistent: persistent))
        for objectClass in classes { register(objectClass) }
    }

    /// Sets where persistent classes are kept.
    public func configure(persistent: ObjectBackend) {
        state.withLock { $0.persistent = persistent }
    }

    /// Sets where a class is kept from now on. Objects stored before stay where they are, and are found there.
    public func register(_ objectClass: ObjectClass) {
        state.withLock { state in
            state.classes[ObjectName.resource(ofClass: objectClass.name)] = objectClass.persistence
        }
    }

    /// Returns where a class is kept unless a request specifies otherwise.
    public func persistence(ofClass className: String) -> ObjectPersistence {
        state.withLock { $0.classes[ObjectName.resource(ofClass: className)] } ?? .memory
    }
}

// MARK: - Reading

extension ObjectCache {
    /// Returns one object.
    ///
    /// - Parameters:
    ///   - name: the name of the object.
    ///   - strategy: nil is that of the options.
    ///   - persistence: where to keep it; nil is where its class is kept.
    /// - Throws: ``HTTPCacheError/transport(_:)`` when the server cannot be reached and nothing is stored,
    ///   ``HTTPCacheError/server(_:)`` for a response that is neither a success nor a 304, ``HTTPCacheError/parse(_:)``
    ///   for one that cannot be understood, ``HTTPCacheError/notCached(_:)`` when ``ObjectStrategy/cacheOnly`` finds
    ///   nothing, ``HTTPCacheError/notConfigured(_:)`` for a persistence without a storage,
    ///   ``HTTPCacheError/invalidRequest(_:)`` when the service has no request for it,
    ///   ``HTTPCacheError/otherServer(_:)`` when the store holds objects of another server, and
    ///   ``HTTPCacheError/unreadable(_:)`` when the waiting writes cannot be checked.
    public func object(
        _ name: ObjectName, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> Fetched<StoredObject> {
        try await answer(
            SingleObjectLookup(name: self.name(of: name)), strategy ?? options.strategy,
            try target(name.className, persistence))
    }

    /// Returns the objects of a query or a reference; without a connection, only of the same query text.
    ///
    /// - Parameters:
    ///   - name: the name of the collection: a query or a reference.
    ///   - strategy: nil is that of the options.
    ///   - persistence: where to keep it; nil is where its class is kept.
    ///   - membership: the objects of a stored collection that are shown.
    /// - Throws: as ``object(_:strategy:persistence:)``.
    public func collection(
        _ name: CollectionName, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil,
        membership: ObjectMembership = .asFetched
    ) async throws(HTTPCacheError) -> Fetched<ObjectCollection> {
        try await answer(
            CollectionLookup(name: name, membership: membership), strategy ?? options.strategy,
            try target(name.className, persistence))
    }

    /// Returns the stored object, if there is one, and then the server's response.
    ///
    /// - Throws: ``HTTPCacheError/notConfigured(_:)`` for a persistence without a storage.
    public func objectAnswers(
        _ name: ObjectName, persistence: ObjectPersistence? = nil
    ) throws(HTTPCacheError) -> ObjectAnswers<StoredObject> {
        try answers(SingleObjectLookup(name: self.name(of: name)), try target(name.className, persistence))
    }

    /// Returns the stored collection, if there is one, and then the server's response.
    ///
    /// The final answer after a 304 is the stored collection, with the origin ``AnswerOrigin/revalidated``.
    ///
    /// - Throws: ``HTTPCacheError/notConfigured(_:)`` for a persistence without a storage.
    public func collectionAnswers(
        _ name: CollectionName, persistence: ObjectPersistence? = nil, membership: ObjectMembership = .asFetched
    ) throws(HTTPCacheError) -> ObjectAnswers<ObjectCollection> {
        try answers(
            CollectionLookup(name: name, membership: membership), try target(name.className, persistence))
    }

    private func answers<ValueLookup: ObjectLookup>(
        _ lookup: ValueLookup, _ target: ObjectPersistence
    ) throws(HTTPCacheError) -> ObjectAnswers<ValueLookup.Value> {
        ObjectAnswers(
            first: { [self] () async throws(HTTPCacheError) in
                try await discardWritesOfOtherAccounts()
                return storedValue(lookup).map {
                    answer($0, .cache, reuse: ObjectReason.cacheFirst, isIntermediate: true)
                }
            },
            final: { [self] () async throws(HTTPCacheError) in try await fetch(lookup, storingIn: target) })
    }

    /// Returns where to keep a response.
    func target(
        _ className: String, _ persistence: ObjectPersistence?
    ) throws(HTTPCacheError) -> ObjectPersistence {
        let target = persistence ?? self.persistence(ofClass: className)
        _ = try tieredStorage.storage(target)
        return target
    }

    var tieredStorage: TieredObjectStorage {
        TieredObjectStorage(memory: memory.objects, persistent: state.withLock { $0.persistent?.objects })
    }

    /// Returns the stored value; nil when there is none, or it cannot be read.
    func storedValue<ValueLookup: ObjectLookup>(_ lookup: ValueLookup) -> StoredValue<ValueLookup.Value>? {
        do {
            return try lookup.storedValue(in: tieredStorage)
        } catch {
            host.logger.warning("the stored value cannot be read: \(error)")
            return nil
        }
    }
}
