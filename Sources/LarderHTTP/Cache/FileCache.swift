internal import HTTPTypes
internal import LarderEngine
public import LarderFormat
internal import Synchronization

/// The reason a ``FileCache`` cannot use a directory.
public enum FileCacheError: Error, Equatable, Sendable {
    /// The directory has files and was never used by a cache: the files would be lost.
    case foreignDirectory
    /// Another cache, in this or another process, uses the directory.
    case inUse
    /// The cache was closed.
    case closed
}

/// A cache that keeps each response in a file of its own, in one directory, up to a number of bytes.
///
/// The directory belongs to the cache alone: opening it removes all other files. A file is renamed into place once it
/// is whole, and a torn or damaged one is removed. A crash therefore costs at most the responses that were being
/// written. Beyond ``maximumBytes`` the least recently used responses are evicted.
public final class FileCache: ResponseCache {
    struct State {
        var entries: [ByteKey: [Entry]] = [:]
        /// The total size of all files, in bytes.
        var size: UInt64 = 0
        var nextIdentity: UInt64 = 1
        /// The number of uses so far.
        var clock: UInt64 = 0
        /// The file that marks the directory, with a lock on it; nil once the cache is closed.
        var lock: FileDescriptor?
    }

    struct Entry {
        var record: ResponseRecord
        let name: String
        var size: UInt64
        var lastUse: UInt64
        /// The time of its last use, in milliseconds since 1970-01-01 UTC.
        var usedAt: Int64
        /// The time of the last use that its file records, in milliseconds since 1970-01-01 UTC.
        var useWrittenAt: Int64
    }

    static let marker = "larder-file-cache"
    static let suffix = ".response"
    /// The length in bytes of the salt, which is the only content of the marker file.
    private static let saltSize = 32
    static let unfinished = ".part"
    /// The minimum time between two records of a use in a file while the cache is open, in milliseconds.
    private static let useWriteInterval: Int64 = 60_000

    /// The maximum total size of the files, in bytes.
    public let maximumBytes: Int
    let directory: FileDirectory
    private let credentialFields: CredentialFields
    let now: @Sendable () -> Int64
    let state = Mutex(State())

    /// Opens the cache in the directory at `path`, which is created if it is missing. Blocks while it is read.
    ///
    /// - Parameters:
    ///   - path: the directory, which belongs to the cache alone.
    ///   - maximumBytes: of all files together; 5 MB by default.
    ///   - credentialFields: the header fields that are never written.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``FileCacheError/foreignDirectory`` for files of another program; ``FileCacheError/inUse`` for a
    ///   directory of another open cache; `EngineError` when the system refuses the directory.
    public init(
        directory path: String, maximumBytes: Int = 5_000_000, credentialFields: CredentialFields = CredentialFields(),
        now: @escaping @Sendable () -> Int64
    ) throws {
        precondition(maximumBytes >= 0, "at most \(maximumBytes) bytes")
        self.maximumBytes = maximumBytes
        self.credentialFields = credentialFields
        self.now = now
        directory = try FileDirectory(path)
        let names = directory.names()
        if !names.isEmpty, !names.contains(Self.marker) { throw FileCacheError.foreignDirectory }
        let lock = try directory.openOrMake(Self.marker)
        guard try lock.lock(exclusive: true, waits: false) else { throw FileCacheError.inUse }
        state.withLock { state in
            state.lock = lock
            load(names, &state)
        }
    }

    deinit { close() }

    /// Stops using the directory, which another cache may then open. Without a call, the last reference does so.
    ///
    /// Bodies that are held stay readable. The closed cache finds nothing, and storing a response throws
    /// ``FileCacheError/closed``. Close an ``HTTPCache`` that uses it first; the HTTP cache does not close it.
    ///
    /// ```swift
    /// await cache.close()
    /// files.close()
    /// ```
    public func close() {
        state.withLock { state in
            for entry in state.entries.values.joined() where entry.usedAt != entry.useWrittenAt { writeUse(of: entry) }
            state = State()
        }
    }

    /// Nine tenths of ``maximumBytes``.
    public var bodyLimit: Int64 { Int64(0.9 * Double(maximumBytes)) }

    /// The current total size of the files, in bytes.
    public var byteCount: Int { Int(clamping: state.withLock { $0.size }) }

    /// Returns the responses stored under `key`, the most recent first. Missing and damaged files are skipped.
    ///
    /// - Throws: nothing.
    public func entries(for key: String) async throws -> [CachedResponse] {
        state.withLock { state in
            var found: [CachedResponse] = []
            let stored = state.entries[ByteKey(key)] ?? []
            for entry in stored {
                if let cached = open(entry) { found.append(cached) }
            }
            if stored.count == 1 { recordUse(&state, ByteKey(key), 0) }
            return found.sorted { $0.response.receivedAt > $1.response.receivedAt }
        }
    }

    /// Records the use of an entry. Eviction removes the least recently used entries first.
    public func recordUse(of entry: CachedResponse) {
        state.withLock { state in
            let place = state.entries[ByteKey(entry.key)]?.firstIndex {
                UInt64(bitPattern: $0.record.blob) == entry.identity
            }
            if let place { recordUse(&state, ByteKey(entry.key), place) }
        }
    }

    /// Begins to store a response whose body follows.
    ///
    /// A response larger than nine tenths of ``maximumBytes`` is not kept, and stays readable as long as it is held.
    ///
    /// - Throws: `FormatError` for a key, URL, tag or head beyond the limits; ``FileCacheError/closed``;
    ///   `EngineError` when the file cannot be created.
    public func write(
        _ response: StoredResponse, for key: String, options: StorageOptions
    ) async throws -> any ResponseWriter {
        var record = ResponseRecord(response, key: key, options: options, now: now()).without(credentialFields)
        try record.checkLimits()
        let identity = try state.withLock { state in
            if state.lock == nil { throw FileCacheError.closed }
            defer { state.nextIdentity += 1 }
            return state.nextIdentity
        }
        record.blob = Int64(clamping: identity)
        let name = Self.hexadecimal(identity) + Self.unfinished
        let file = try CacheFile(new: try directory.make(name))
        return FileResponseWriter(cache: self, name: name, file: file, record: record)
    }

    /// Replaces the metadata of an entry. Copies the body into a new file, and blocks meanwhile.
    ///
    /// - Throws: ``HTTPCacheError/bodyRemoved`` when the file is damaged; `EngineError`.
    public func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws {
        var refreshed: ResponseRecord?
        try edit(entry.key) { record in
            guard UInt64(bitPattern: record.blob) == entry.identity else { return }
            record.refresh(with: response)
            record = record.without(credentialFields)
            refreshed = record
        }
        guard let refreshed else { return }
        _ = remove { other in
            other.blob != refreshed.blob && other.key.utf8.elementsEqual(refreshed.key.utf8)
                && other.selecting == refreshed.selecting
        }
    }

    /// Adds tags to an entry, and pins it where the options say so. Copies the body into a new file, and blocks
    /// meanwhile.
    ///
    /// - Throws: `FormatError` for a tag beyond the limits; else as ``refresh(_:with:)``.
    public func add(_ options: StorageOptions, to entry: CachedResponse) async throws {
        for tag in options.tags { try Limits.check(tag: tag) }
        try edit(entry.key) { record in
            if UInt64(bitPattern: record.blob) == entry.identity { record.add(options) }
        }
    }

    /// Marks the responses under `key`: each is validated before its next use.
    ///
    /// - Throws: as ``invalidate(_:fullExpire:)``.
    public func invalidate(_ key: String) async throws {
        try invalidate(key, fullExpire: true)
    }

    /// Marks the responses under `key`. Rewrites each marked file with its body, and blocks meanwhile.
    ///
    /// - Parameters:
    ///   - key: the key of the responses.
    ///   - fullExpire: whether a response is validated before its next use; otherwise it may be shown once more
    ///     meanwhile.
    /// - Throws: ``HTTPCacheError/bodyRemoved`` when a file is damaged; `EngineError`.
    public func invalidate(_ key: String, fullExpire: Bool) throws {
        try edit(key) { record in
            if fullExpire { record.demand = .validation } else if record.demand == .none { record.demand = .refresh }
        }
    }

    /// Removes the responses that `selection` names, and returns their number.
    ///
    /// - Throws: nothing.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        remove { record in
            switch selection {
            case .key(let key): record.key.utf8.elementsEqual(key.utf8)
            case .prefix(let text): record.key.utf8.starts(with: text.utf8)
            case .tag(let tag): record.tags.contains { $0.utf8.elementsEqual(tag.utf8) }
            case .all: true
            }
        }
    }

    /// Removes this entry only.
    ///
    /// - Throws: nothing.
    public func discard(_ entry: CachedResponse) async throws {
        _ = remove { UInt64(bitPattern: $0.blob) == entry.identity }
    }

    /// Returns the salt of this directory, which its marker file holds; nil once the cache is closed.
    ///
    /// - Throws: `EngineError` when the marker file cannot be read or written.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? {
        try state.withLock { state in
            guard let lock = state.lock else { return nil }
            let storedSalt = try lock.read(Self.saltSize, at: 0)
            if storedSalt.count == Self.saltSize { return storedSalt }
            guard let draw else { return nil }
            let salt = Fingerprint.digest(draw())
            try lock.write(salt, at: 0)
            try lock.sync()
            return salt
        }
    }

    func remove(_ isSelected: (ResponseRecord) -> Bool) -> Int {
        state.withLock { state in
            let selected = state.entries.values.joined().filter { isSelected($0.record) }
            for entry in selected { drop(entry, &state) }
            return selected.count
        }
    }
}

// MARK: - Using the entries

extension FileCache {
    /// Records the use of an entry, and now and then also in its file: the order of eviction outlasts the process.
    private func recordUse(_ state: inout State, _ key: ByteKey, _ index: Int) {
        guard var entry = state.entries[key]?[index] else { return }
        state.clock += 1
        entry.lastUse = state.clock
        let time = now()
        entry.usedAt = time
        if time.subtractingReportingOverflow(entry.useWrittenAt).partialValue.magnitude
            >= Self.useWriteInterval.magnitude
        {
            entry.useWrittenAt = time
            writeUse(of: entry)
        }
        state.entries[key]?[index] = entry
    }

    /// Records the last use of an entry in its file. A failure is ignored: it only affects the order of eviction.
    private func writeUse(of entry: Entry) {
        if let file = try? directory.open(entry.name) { try? file.setModifiedAt(entry.usedAt) }
    }

    /// Returns the entry with its file open; nil when the file is missing or damaged.
    private func open(_ entry: Entry) -> CachedResponse? {
        guard let file = try? directory.open(entry.name), let (found, _) = try? CacheFile.read(file) else { return nil }
        return CachedResponse(entry.record, body: body(found, entry.record))
    }

    /// Returns the body in a file; the response is removed once its body proves damaged.
    func body(_ file: CacheFile, _ record: ResponseRecord) -> FileBody {
        FileBody(file: file) { [weak self] in _ = self?.remove { $0.blob == record.blob } }
    }
}

/// A body in an open file.
struct FileBody: BodySource {
    let file: CacheFile
    /// Called when the file proves damaged.
    let drop: @Sendable () -> Void

    var byteCount: Int64 { file.byteCount }

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "\(range) of \(byteCount) bytes")
        if range.isEmpty { return }
        let size = Int64(CacheFile.blockSize)
        for number in range.lowerBound / size...(range.upperBound - 1) / size {
            guard let bytes = try file.block(number) else {
                drop()
                throw HTTPCacheError.bodyRemoved
            }
            let wanted = range.clamped(to: number * size..<number * size + Int64(bytes.count))
            // Within the block, which is in memory, so the bounds fit into `Int`.
            let start = Int(wanted.lowerBound - number * size)
            try body(bytes.rawSpan.extracting(start..<start + wanted.count))
        }
    }
}
