internal import HTTPTypes
public import LarderFormat
public import LarderStore
public import LarderTransport
internal import Logging
internal import Synchronization

/// The objects of a server, with and without a connection.
///
/// An object is kept once, however many collections hold it; so whatever changes it, all of them show it. Each class is
/// kept in memory or in the store, as the host chose, and each request may choose otherwise.
///
/// What is kept here is the host's own content, kept by the host's word: `Cache-Control` has no say in it.
///
/// A write or a removal made here while the server is asked is newer than the answer, which is then not stored over it.
/// Answers are not ordered among each other.
public final class ObjectCache: Sendable {
    struct State {
        /// By the bytes of the name.
        var classes: [ResourceKey: ObjectPersistence] = [:]
        var persistent: ObjectPlace?
        /// The pass through the queue that is under way.
        var sending: Task<QueueReport, any Error>?
    }

    let service: any ObjectService
    let transport: any Transport
    let options: ObjectCacheOptions
    let host: HostServices
    let isOnline: @Sendable () -> Bool
    let memory: ObjectPlace
    /// The writes of classes in memory that wait.
    let writes = MemoryWrites()
    let order = ChangeOrder()
    /// One write to an object at a time, in the order of their calls: a later one must not reach the server first. A cancelled task keeps
    /// its position.
    let serializer = TurnQueue<ObjectName>()
    let state: Mutex<State>

    /// A cache of what `service` offers.
    ///
    /// - Parameters:
    ///   - memory: where classes are kept that are not persistent.
    ///   - persistent: where the others are; without, asking for it is ``HTTPCacheError/notConfigured(_:)``.
    ///   - classes: classes that are persistent, or are not; all others are kept in memory.
    ///   - isOnline: false keeps the cache from trying the network at all.
    public init(
        service: any ObjectService, transport: any Transport, memory: ObjectPlace = .memory(),
        persistent: ObjectPlace? = nil,
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

    /// Says where persistent classes are kept.
    public func configure(persistent: ObjectPlace) {
        state.withLock { $0.persistent = persistent }
    }

    /// Says where a class is kept from now on; what was kept of it stays where it is, and is found there.
    public func register(_ objectClass: ObjectClass) {
        state.withLock { state in
            state.classes[ObjectName.resource(ofClass: objectClass.name)] = objectClass.persistence
        }
    }

    /// Where a class is kept unless a request says otherwise.
    public func persistence(ofClass className: String) -> ObjectPersistence {
        state.withLock { $0.classes[ObjectName.resource(ofClass: className)] } ?? .memory
    }
}

// MARK: - Reading

extension ObjectCache {
    /// One object.
    ///
    /// - Parameters:
    ///   - strategy: nil is that of the options.
    ///   - persistence: where to keep it; nil is where its class is kept.
    /// - Throws: ``HTTPCacheError/transport(_:)`` when the server cannot be reached and nothing is kept,
    ///   ``HTTPCacheError/server(_:)`` for an answer that is neither a success nor a 304,
    ///   ``HTTPCacheError/parse(_:)``, ``HTTPCacheError/notCached(_:)``, ``HTTPCacheError/notConfigured(_:)``,
    ///   ``HTTPCacheError/invalidRequest(_:)``.
    public func object(
        _ name: ObjectName, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil
    ) async throws(HTTPCacheError) -> Fetched<StoredObject> {
        try await answer(
            ObjectInquiry(name: self.name(of: name)), strategy ?? options.strategy,
            try target(name.className, persistence))
    }

    /// The objects that answer a query, or that a reference leads to; without a connection, only by the same query text.
    ///
    /// - Parameters:
    ///   - strategy: nil is that of the options.
    ///   - persistence: where to keep it; nil is where its class is kept.
    ///   - membership: which objects of a kept collection are shown.
    /// - Throws: as ``object(_:strategy:persistence:)``.
    public func collection(
        _ name: CollectionName, strategy: ObjectStrategy? = nil, persistence: ObjectPersistence? = nil,
        membership: ObjectMembership = .asFetched
    ) async throws(HTTPCacheError) -> Fetched<ObjectCollection> {
        try await answer(
            CollectionInquiry(name: name, membership: membership), strategy ?? options.strategy,
            try target(name.className, persistence))
    }

    /// What is kept of an object, where anything is; then the server's answer.
    public func objectAnswers(
        _ name: ObjectName, persistence: ObjectPersistence? = nil
    ) throws(HTTPCacheError) -> ObjectAnswers<StoredObject> {
        try answers(ObjectInquiry(name: self.name(of: name)), try target(name.className, persistence))
    }

    /// What is kept of a collection, where anything is; then the server's answer.
    ///
    /// The final answer after a 304 is what is kept, with the origin ``AnswerOrigin/revalidated``.
    public func collectionAnswers(
        _ name: CollectionName, persistence: ObjectPersistence? = nil, membership: ObjectMembership = .asFetched
    ) throws(HTTPCacheError) -> ObjectAnswers<ObjectCollection> {
        try answers(
            CollectionInquiry(name: name, membership: membership), try target(name.className, persistence))
    }

    private func answers<Asked: ObjectInquiring>(
        _ inquiry: Asked, _ target: ObjectPersistence
    ) throws(HTTPCacheError) -> ObjectAnswers<Asked.Value> {
        ObjectAnswers(
            first: { [self] () async throws(HTTPCacheError) in
                try await giveUpWritesOfOthers()
                return kept(inquiry).map {
                    answer($0, .cache, reuse: ObjectReason.cacheFirst, isIntermediate: true)
                }
            },
            final: { [self] () async throws(HTTPCacheError) in try await ask(inquiry, keepingIn: target) })
    }

    /// Where an answer is to be kept.
    func target(
        _ className: String, _ persistence: ObjectPersistence?
    ) throws(HTTPCacheError) -> ObjectPersistence {
        let target = persistence ?? self.persistence(ofClass: className)
        _ = try shelves.storage(target)
        return target
    }

    var shelves: ObjectShelves {
        ObjectShelves(memory: memory.objects, persistent: state.withLock { $0.persistent?.objects })
    }

    /// What is kept; nothing when it cannot be read.
    func kept<Asked: ObjectInquiring>(_ inquiry: Asked) -> KeptAnswer<Asked.Value>? {
        do {
            return try inquiry.kept(in: shelves)
        } catch {
            host.logger.warning("what is kept cannot be read: \(error)")
            return nil
        }
    }
}
