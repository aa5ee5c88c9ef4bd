internal import LarderEngine
package import LarderFormat
internal import Synchronization

/// An embedded, offline-first store of rows, sync state and writes waiting to be sent, in one file.
///
/// Reads run on the caller's thread against a consistent view and wait for a write only when the map grows. Writes run
/// one after the other on one thread and share commits. All content is in one LMDB environment, so everything can
/// change in one transaction.
///
/// ```swift
/// let store = try Store.open(at: path)  // a directory, created when it does not exist
/// try await store.write { transaction in try transaction.put(verse, at: key, updatedAt: now) }
/// let found = try store.read { view in try view.value(Verse.self, at: key) }  // no network, no waiting
/// print(found?.text ?? "not here")
/// try store.close()
/// ```
public final class Store: Sendable {
    let environment: Environment
    let tables: Tables
    /// The services that the app supplied.
    package let host: HostServices
    let hub = ObservationHub()
    let shared: SharedState
    /// Those of ``shared``, which is weakly referred to, so that it takes longer to count its references.
    let generationUses: UseBits
    /// Whether writes are refused: as requested, or because a newer version has changed the file.
    public let isReadOnly: Bool
    /// The salvage that the open of this store has made, because the file was damaged; nil where it was not.
    public let recovery: StoreRecovery?
    /// The time for which the answers of queries are kept; nil for ever.
    let collectionAge: Duration?
    private let isOpen = Atomic(true)

    init(
        environment: Environment, host: HostServices, isReadOnly: Bool, sizeCap: Int64? = nil,
        collectionAge: Duration? = nil, credentialFields: CredentialFields = CredentialFields(),
        recovery: StoreRecovery? = nil, parts: [any SharedPart.Type]
    ) throws(EngineError) {
        self.environment = environment
        self.host = host
        self.isReadOnly = isReadOnly
        self.collectionAge = collectionAge
        self.recovery = recovery
        let file = FileContext(
            environment: environment, host: host, sizeCap: sizeCap, credentialFields: credentialFields)
        shared = try SharedState.of(file, parts: parts)
        tables = shared.tables
        generationUses = shared.generationUses
        shared.add(hub)
    }

    /// The header fields that are never stored.
    package var credentialFields: CredentialFields { shared.credentialFields }

    /// The directory of the store.
    public var path: String { environment.path }

    /// Returns the directory's path without symbolic links, for a library that opens files in it by their paths.
    ///
    /// Checks first that each of `names` is free or a plain file of this user, which others then may not write to.
    ///
    /// - Throws: ``EngineError/untrustedFile(name:problem:)`` for any other file.
    package func pathToOpen(_ names: [String]) throws -> String {
        let directory = StoreDirectory(path: path)
        for name in names { try directory.removeOthersWritePermission(name) }
        return try directory.resolvedPath()
    }

    /// Throws after ``close(within:)``: the environment may live on for another open of the same file.
    func checkOpen() throws(EngineError) {
        if !isOpen.load(ordering: .acquiring) { throw .closed }
    }

    /// Whether the store's file was removed, or replaced by another one, since it was opened. It stays open all the same.
    package var isGone: Bool { environment.isGone }

    /// Closes the store: ends observations, finishes writes already begun, and waits for readers.
    ///
    /// Another open of the same file in this process stays open; the last to close closes the file.
    ///
    /// - Parameter milliseconds: the time to wait for readers; nil waits for ever.
    /// - Throws: `EngineError.busy` when readers did not end in time: the store stays open for reading and may be
    ///   closed again. `EngineError.closed` when it was closed before.
    public func close(within milliseconds: Int? = nil) throws {
        let (isFirst, _) = isOpen.compareExchange(expected: true, desired: false, ordering: .acquiringAndReleasing)
        if !isFirst { throw EngineError.closed }
        hub.finish()
        for participant in shared.participants { participant.end(self) }
        do throws(EngineError) {
            try environment.close(within: milliseconds)
        } catch {
            if error == .busy { isOpen.store(true, ordering: .releasing) }
            throw error
        }
    }
}
