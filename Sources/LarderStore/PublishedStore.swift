internal import LarderEngine
internal import LarderFormat
internal import Synchronization

/// A read-only copy of a store that ``Store/publish(to:progress:)`` has made, opened without any lock.
///
/// Use it in a widget or another extension, which the system may suspend or end at any time, and for content that
/// ships with an app. Reading creates no file, so the directory may be on a read-only medium. When a newer copy was
/// published, the next read shows it, and reads under way finish with the old one. The file is closed with the last
/// reference.
///
/// ```swift
/// let published = try PublishedStore.open(at: path, host: .system(logger: logger))
/// let verse = try published.read { view in try view.value(Verse.self, at: key) }  // of the newest copy
/// print(verse?.text ?? "not published")
/// ```
public final class PublishedStore: Sendable {
    /// One copy that is open.
    private struct Copy {
        let store: Store
        /// The number of reads under way.
        var reads = 0
    }

    /// The directory of the copy.
    public let path: String
    private let host: HostServices
    private let encryption: StoreEncryption?
    private let compression: StoreCompression?
    /// The newest copy last; those before it are still being read.
    private let copies: Mutex<[Copy]>

    private init(
        _ store: Store, _ host: HostServices, _ encryption: StoreEncryption?, _ compression: StoreCompression?
    ) {
        path = store.path
        self.host = host
        self.encryption = encryption
        self.compression = compression
        copies = Mutex([Copy(store: store)])
    }

    deinit {
        // Each read holds a reference, so none is under way.
        copies.withLock { copies in
            for copy in copies { try? copy.store.close() }
        }
    }

    /// Opens the copy in the directory at `path`.
    ///
    /// The file's own structure is checked first, in a file of up to 64 MiB all of it, because a damaged page could end
    /// the process. Blocks meanwhile.
    ///
    /// - Parameters:
    ///   - path: the directory that the copy was published to. Only its publisher should be able to write there: the
    ///     system ends a process when a file that it reads is made shorter.
    ///   - host: the app's services; only the logger is used.
    ///   - encryption: that of the store that was published; nil for a plain one.
    ///   - compression: that of the store that was published; nil where it has no compressed rows.
    /// - Throws: `EngineError.notFound` where nothing was published, the errors of a damaged file, and others of the
    ///   engine under opening; ``StoreError/notPublished`` for a store; ``StoreError/notAStore``,
    ///   ``StoreError/unsupportedFormat(_:)``, ``StoreError/damaged(table:reason:)``, ``StoreError/encryption(_:)``,
    ///   ``StoreError/compressionMissing``.
    public static func open(
        at path: String, host: HostServices, encryption: StoreEncryption? = nil, compression: StoreCompression? = nil
    ) throws -> PublishedStore {
        PublishedStore(try openCopy(at: path, host, encryption, compression), host, encryption, compression)
    }

    /// Lends a view of the newest copy to `body`.
    ///
    /// Runs on the caller's thread. Each read asks the system once whether a newer copy was published. The first read
    /// after that opens the newer one, while others wait. A read inside a read shares the outer view.
    ///
    /// - Throws: what `body` throws; as ``open(at:host:encryption:compression:)`` where a newer copy cannot be opened. Where the copy
    ///   was removed, the one that is open is read.
    public func read<Result: ~Copyable>(_ body: (borrowing ReadView) throws -> Result) throws -> Result {
        let store = try begin()
        defer { end(store) }
        return try store.read(body)
    }

    /// Opens the newest copy if it is another one, and returns the store to read, which stays open until ``end(_:)``.
    private func begin() throws -> Store {
        try copies.withLock { copies in
            var index = copies.endIndex - 1
            if let outer = copies.firstIndex(where: { $0.store.environment.isInsideTransaction }) {
                index = outer
            } else if copies[index].store.environment.isReplaced {
                copies.append(Copy(store: try Self.openCopy(at: path, host, encryption, compression)))
                index += 1
            }
            copies[index].reads += 1
            let store = copies[index].store
            Self.closeUnused(&copies)
            return store
        }
    }

    private func end(_ store: Store) {
        copies.withLock { copies in
            guard let index = copies.firstIndex(where: { $0.store === store }) else { return }
            copies[index].reads -= 1
            Self.closeUnused(&copies)
        }
    }

    /// Closes the copies that were replaced and are not being read.
    private static func closeUnused(_ copies: inout [Copy]) {
        for index in copies.indices.dropLast().reversed() where copies[index].reads == 0 {
            try? copies.remove(at: index).store.close()
        }
    }

    /// Opens the file at `path` as a store of its own, whose close is the caller's.
    static func openCopy(
        at path: String, _ host: HostServices, _ encryption: StoreEncryption?, _ compression: StoreCompression?
    ) throws -> Store {
        let cipher = encryption.map { StoreCipher($0) }
        let compression = compression.map { RowCompression($0) }
        let environment = try Environment.openPublished(
            path: path, tables: Tables.names, cipher: cipher, decompressor: compression
        ) { transaction, tables in
            _ = try Store.readFormat(in: transaction, tables)
            let key = FormatRecord.key
            guard let meta = tables[TableName.meta.rawValue],
                let value = try transaction.value(forKey: key.rawSpan, in: meta),
                try Store.formatRecord(of: value).features.isPublished
            else { throw StoreError.notPublished }
            try Store.loadKeys(in: transaction, tables, cipher)
            try Store.checkCompression(in: transaction, tables, compression)
        }
        do {
            return try Store(environment: environment, host: host, isReadOnly: true, parts: Store.parts)
        } catch {
            try? environment.close()
            throw error
        }
    }
}
