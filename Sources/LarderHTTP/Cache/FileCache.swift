internal import HTTPTypes
internal import LarderEngine
public import LarderFormat
internal import Synchronization

/// Why a ``FileCache`` cannot use a directory.
public enum FileCacheError: Error, Equatable, Sendable {
    /// The directory has files, and was never a cache's: they would be lost.
    case foreignDirectory
    /// Another cache, in this or another process, uses the directory.
    case inUse
    /// The cache was closed.
    case closed
}

/// Keeps each response in a file of its own, in one directory, up to a number of bytes.
///
/// The directory is the cache's alone: whatever else lies in it is removed when it is opened. A file is built aside and
/// renamed when it is whole, and a torn or damaged one is dropped, so a crash costs at most what was being written. When
/// there is too much, what was used longest ago goes first.
public final class FileCache: ResponseCache {
    struct State {
        var entries: [ByteKey: [Entry]] = [:]
        /// Bytes of all files.
        var size: UInt64 = 0
        var nextIdentity: UInt64 = 1
        /// Counts uses.
        var clock: UInt64 = 0
        /// The file that marks the directory, with a lock on it; nil once the cache is closed.
        var lock: FileDescriptor?
    }

    struct Entry {
        var record: ResponseRecord
        let name: String
        var size: UInt64
        var lastUse: UInt64
        /// When it was last used, in milliseconds since 1970-01-01 UTC.
        var usedAt: Int64
        /// When the file was last told of a use, in milliseconds since 1970-01-01 UTC.
        var notedAt: Int64
    }

    static let marker = "larder-file-cache"
    static let suffix = ".response"
    /// The length of the salt, which is all that the marker holds, in bytes.
    private static let saltSize = 32
    static let unfinished = ".part"
    /// A file learns of uses at most this often, in milliseconds.
    private static let noteInterval: Int64 = 60_000

    /// The most bytes that the files take.
    public let maximumBytes: Int
    let directory: FileDirectory
    private let credentialFields: CredentialFields
    let now: @Sendable () -> Int64
    let state = Mutex(State())

    /// The cache in the directory at `path`, which is made when there is none. Blocks for as long as looking through it
    /// takes.
    ///
    /// - Parameters:
    ///   - maximumBytes: of all files together; 5 MB by default.
    ///   - credentialFields: the header fields that are never written.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``FileCacheError/foreignDirectory``, ``FileCacheError/inUse``; ``EngineError``.
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

    /// Ends the use of the directory, which another cache may use then. Without a call, it ends with the last reference.
    ///
    /// Bodies that are held stay readable. The closed cache finds nothing, and keeping a response throws
    /// ``FileCacheError/closed``. An ``HTTPCache`` in front of it is closed first, and does not close it.
    ///
    /// ```swift
    /// await cache.close()
    /// files.close()
    /// ```
    public func close() {
        state.withLock { state in
            for entry in state.entries.values.joined() where entry.usedAt != entry.notedAt { writeUse(of: entry) }
            state = State()
        }
    }

    /// Nine tenths of the most bytes.
    public var bodyLimit: Int64 { Int64(0.9 * Double(maximumBytes)) }

    /// The bytes that the files take now.
    public var byteCount: Int { Int(clamping: state.withLock { $0.size }) }

    /// What is kept under `key`, the most recent first.
    public func entries(for key: String) async throws -> [CachedResponse] {
        state.withLock { state in
            var found: [CachedResponse] = []
            let kept = state.entries[ByteKey(key)] ?? []
            for entry in kept {
                if let cached = open(entry) { found.append(cached) }
            }
            if kept.count == 1 { noteUse(&state, ByteKey(key), 0) }
            return found.sorted { $0.response.receivedAt > $1.response.receivedAt }
        }
    }

    /// Notes that an entry answered a request: what was used longest ago is evicted first.
    public func noteUse(of entry: CachedResponse) {
        state.withLock { state in
            let place = state.entries[ByteKey(entry.key)]?.firstIndex {
                UInt64(bitPattern: $0.record.blob) == entry.identity
            }
            if let place { noteUse(&state, ByteKey(entry.key), place) }
        }
    }

    /// Begins to keep a response whose body is still to come.
    ///
    /// One that takes more than nine tenths of the most is not kept; it can be read as long as it is held.
    public func write(
        _ response: StoredResponse, for key: String, options: KeepOptions
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

    /// Puts new metadata in place of an entry's; its body is not touched.
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

    /// Marks what is kept under `key` as to be validated before its next use.
    public func invalidate(_ key: String) async throws {
        try invalidate(key, fullExpire: true)
    }

    /// Marks what is kept under `key`.
    ///
    /// - Parameter fullExpire: whether it is to be validated before its next use; otherwise it may be shown once more
    ///   while it is validated.
    public func invalidate(_ key: String, fullExpire: Bool) throws {
        try edit(key) { record in
            if fullExpire { record.demand = .validation } else if record.demand == .none { record.demand = .refresh }
        }
    }

    /// Removes what `selection` says.
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

    /// Removes this very entry.
    public func discard(_ entry: CachedResponse) async throws {
        _ = remove { UInt64(bitPattern: $0.blob) == entry.identity }
    }

    /// The salt of this directory, kept in the file that marks it.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? {
        try state.withLock { state in
            guard let lock = state.lock else { return nil }
            let kept = try lock.read(Self.saltSize, at: 0)
            if kept.count == Self.saltSize { return kept }
            guard let draw else { return nil }
            let salt = Fingerprint.digest(draw())
            try lock.write(salt, at: 0)
            try lock.sync()
            return salt
        }
    }

    func remove(_ isSelected: (ResponseRecord) -> Bool) -> Int {
        state.withLock { state in
            let doomed = state.entries.values.joined().filter { isSelected($0.record) }
            for entry in doomed { drop(entry, &state) }
            return doomed.count
        }
    }
}

// MARK: - Using what is there

extension FileCache {
    /// Notes the use of an entry, now and then also in its file, for the order in which files go after the next start.
    private func noteUse(_ state: inout State, _ key: ByteKey, _ index: Int) {
        guard var entry = state.entries[key]?[index] else { return }
        state.clock += 1
        entry.lastUse = state.clock
        let time = now()
        entry.usedAt = time
        if time.subtractingReportingOverflow(entry.notedAt).partialValue.magnitude >= Self.noteInterval.magnitude {
            entry.notedAt = time
            writeUse(of: entry)
        }
        state.entries[key]?[index] = entry
    }

    /// Has the file of an entry know when that was used. A use that is forgotten costs a place in the order.
    private func writeUse(of entry: Entry) {
        if let file = try? directory.open(entry.name) { try? file.setModifiedAt(entry.usedAt) }
    }

    /// The entry with its file open; nil when that has gone behind our back.
    private func open(_ entry: Entry) -> CachedResponse? {
        guard let file = try? directory.open(entry.name), let (found, _) = try? CacheFile.read(file) else { return nil }
        return CachedResponse(entry.record, body: body(found, entry.record))
    }

    /// The body in a file; when it proves damaged, the response is dropped.
    func body(_ file: CacheFile, _ record: ResponseRecord) -> FileBody {
        FileBody(file: file) { [weak self] in _ = self?.remove { $0.blob == record.blob } }
    }
}

/// A body in a file, which is held open.
struct FileBody: BodySource {
    let file: CacheFile
    /// Told that the file is damaged.
    let drop: @Sendable () -> Void

    var byteCount: Int64 { file.byteCount }

    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws {
        precondition(range.lowerBound >= 0 && range.upperBound <= byteCount, "\(range) of \(byteCount) bytes")
        if range.isEmpty { return }
        let size = Int64(CacheFile.blockSize)
        for number in range.lowerBound / size...(range.upperBound - 1) / size {
            guard let bytes = try file.block(number) else {
                drop()
                throw HTTPCacheError.bodyGone
            }
            let wanted = range.clamped(to: number * size..<number * size + Int64(bytes.count))
            // Within the block, which is in memory.
            let start = Int(wanted.lowerBound - number * size)
            try body(bytes.rawSpan.extracting(start..<start + wanted.count))
        }
    }
}
