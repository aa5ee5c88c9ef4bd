public import LarderFormat
internal import LarderStore

/// The stored object or collection, now and after every change of it. See ``ObjectCache/values(of:)``.
///
/// A slow reader receives the newest value only. Two equal values never follow each other.
public struct ObjectValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    /// The stored value; nil while there is none.
    public typealias Element = Value?
    /// The reason the stored value cannot be read.
    public typealias Failure = HTTPCacheError

    let signals: @Sendable () -> AsyncStream<Void>
    let read: @Sendable () async throws(HTTPCacheError) -> Value?

    /// Begins to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(signals: signals().makeAsyncIterator(), read: read)
    }

    /// The position of one observer.
    public struct Iterator: AsyncIteratorProtocol {
        /// The stored value; nil while there is none.
        public typealias Element = Value?
        /// The reason the stored value cannot be read.
        public typealias Failure = HTTPCacheError

        fileprivate var signals: AsyncStream<Void>.Iterator
        fileprivate let read: @Sendable () async throws(HTTPCacheError) -> Value?
        private var last: Value??

        fileprivate init(
            signals: AsyncStream<Void>.Iterator, read: @escaping @Sendable () async throws(HTTPCacheError) -> Value?
        ) {
            self.signals = signals
            self.read = read
        }

        /// Returns the newest value: the first at once, a later one when it differs from the last. Nil at the end.
        ///
        /// - Throws: ``HTTPCacheError/unreadable(_:)`` when the stored value cannot be read.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> Value?? {
            while true {
                if last != nil, await signals.next(isolation: isolation) == nil { return nil }
                if Task.isCancelled { return nil }
                let value = try await read()
                if last == .some(value) { continue }
                last = .some(value)
                return .some(value)
            }
        }
    }
}

extension ObjectCache {
    /// Returns the stored object: now, and after every change by a response, a local write or a removal.
    ///
    /// The first value comes at once; it is nil while nothing is stored. No request is sent. The sequence ends with the
    /// reading task, and when the store is closed.
    ///
    /// ```swift
    /// for try await user in objects.values(of: ObjectName(class: "User", id: "7")) { show(user) }
    /// ```
    public func values(of name: ObjectName) -> ObjectValues<StoredObject> {
        values(in: .row(name.row)) { [self] in SingleObjectLookup(name: self.name(of: name)) }
    }

    /// Returns the stored collection with its objects, as ``values(of:)-(ObjectName)``.
    ///
    /// - Parameters:
    ///   - name: the name of the collection.
    ///   - membership: the objects that are shown.
    public func values(
        of name: CollectionName, membership: ObjectMembership = .asFetched
    ) -> ObjectValues<ObjectCollection> {
        values(in: .collection(name, home: ObjectName.resource(ofClass: name.className))) {
            CollectionLookup(name: name, membership: membership)
        }
    }

    private func values<ValueLookup: ObjectLookup>(
        in region: Region, _ lookup: @escaping @Sendable () -> ValueLookup
    ) -> ObjectValues<ValueLookup.Value> where ValueLookup.Value: Equatable {
        ObjectValues(
            signals: { [self] in tieredStorage.changes(in: region) },
            read: { [self] () async throws(HTTPCacheError) in
                try await discardWritesOfOtherAccounts()
                do {
                    return try lookup().storedValue(in: tieredStorage)?.value
                } catch {
                    throw .wrapping(error)
                }
            })
    }
}

extension TieredObjectStorage {
    /// Returns a stream with an element after changes of either storage, until the stream of one of them ends.
    fileprivate func changes(in region: Region) -> AsyncStream<Void> {
        let streams = all.map { $0.changes(in: region) }
        let (merged, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                for stream in streams {
                    group.addTask { for await _ in stream { continuation.yield() } }
                }
                await group.next()
                group.cancelAll()
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return merged
    }
}
