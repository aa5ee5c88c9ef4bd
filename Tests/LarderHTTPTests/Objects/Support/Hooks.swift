// HookedQueue, FillingObjects and HookedObjects: storages with hooks before writes, or with no space left.

import HTTPTypes
import Larder
import LarderFormat
import LarderHTTP
import LarderStore
import LarderTransport
import Synchronization

/// The outbox's queue, with something that happens before a write is in it.
struct HookedQueue: WriteQueue {
    struct Unreadable: Error {}

    let base: OutboxWriteQueue
    let meanwhile: RequestHooks
    let isUnreadable = Flag(false)
    let isWaitUnreadable = Flag(false)
    let isAuthenticationUnreadable = Flag(false)

    var idempotencyKeyField: HTTPField.Name { base.idempotencyKeyField }

    func enqueue(_ write: QueuedWrite, effects: [RowEffect]) async throws {
        await meanwhile.run(before: "enqueue")
        try await base.enqueue(write, effects: effects)
    }

    func waiting() throws -> [WaitingWrite] {
        if isUnreadable.value { throw Unreadable() }
        return try base.waiting()
    }

    func authenticationState() throws -> AuthenticationState {
        if isAuthenticationUnreadable.value { throw Unreadable() }
        return try base.authenticationState()
    }

    func serverWait(of server: String) throws -> Duration? {
        if isWaitUnreadable.value { throw Unreadable() }
        return try base.serverWait(of: server)
    }

    func verdict(reading response: TransportResponse, to write: QueuedWrite) async throws(TransportError) -> Verdict {
        try await base.verdict(reading: response, to: write)
    }

    func sendWaiting(about object: ObjectName) async throws { try await base.sendWaiting(about: object) }
}

/// The objects of a store that has no space left once it is full.
struct FillingObjects: ObjectStorage {
    struct Full: Error {}

    let base: StoreObjectStorage
    let isFull = Flag(false)

    func object(_ name: ObjectName) throws -> ObjectEntry? { try base.object(name) }

    func collection(_ name: CollectionName) throws -> CollectionEntry? { try base.collection(name) }

    func collections(containing object: ObjectName) throws -> [CollectionName] {
        try base.collections(containing: object)
    }

    func collections(ofClass className: String) throws -> [CollectionName] {
        try base.collections(ofClass: className)
    }

    func classNames() throws -> [String] { try base.classNames() }

    func changes(in region: Region) -> AsyncStream<Void> { base.changes(in: region) }

    @discardableResult
    func apply(deciding decide: @escaping @Sendable () -> [ObjectChange]) async throws -> [ObjectChange] {
        if isFull.value { throw Full() }
        return try await base.apply(deciding: decide)
    }
}

/// Objects in memory, with something that happens before changes are made.
final class HookedObjects: ObjectStorage {
    private let base = MemoryObjectStorage()
    private let meanwhile: RequestHooks

    init(_ meanwhile: RequestHooks) { self.meanwhile = meanwhile }

    func object(_ name: ObjectName) -> ObjectEntry? { base.object(name) }

    func collection(_ name: CollectionName) -> CollectionEntry? { base.collection(name) }

    func collections(containing object: ObjectName) -> [CollectionName] { base.collections(containing: object) }

    func collections(ofClass className: String) -> [CollectionName] { base.collections(ofClass: className) }

    func classNames() -> [String] { base.classNames() }

    func changes(in region: Region) -> AsyncStream<Void> { base.changes(in: region) }

    @discardableResult
    func apply(deciding decide: @escaping @Sendable () -> [ObjectChange]) async throws -> [ObjectChange] {
        await meanwhile.run(before: "apply")
        return try await base.apply(deciding: decide)
    }
}
