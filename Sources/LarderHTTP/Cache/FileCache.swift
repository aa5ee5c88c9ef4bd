internal import HTTPTypes
internal import LarderEngine
internal import LarderFormat
internal import Synchronization

/// Why a ``FileCache`` cannot use a directory.
public enum FileCacheError: Error, Equatable, Sendable {
    /// The directory has files, and was never a cache's: they would be lost.
    case foreignDirectory
    /// Another cache, in this or another process, uses the directory.
    case inUse
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
    }

    struct Entry {
        var record: ResponseRecord
        let name: String
        var size: UInt64
        var lastUse: UInt64
        /// When the file was last told of a use, in milliseconds since 1970-01-01 UTC.
        var notedAt: Int64
    }

    static let marker = "larder-file-cache"
    private static let suffix = ".response"
    private static let unfinished = ".part"
    /// A file learns of uses at most this often, in milliseconds.
    private static let noteInterval: Int64 = 3_600_000

    /// The most bytes that the files take.
    public let maximumBytes: Int
    let directory: FileDirectory
    let now: @Sendable () -> Int64
    let state = Mutex(State())
    /// Held for life, with a lock on it.
    private let lock: FileDescriptor

    /// The cache in the directory at `path`, which is made when there is none. Blocks for as long as looking through it
    /// takes.
    ///
    /// - Parameters:
    ///   - maximumBytes: of all files together; 5 MB by default.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``FileCacheError``; ``EngineError``.
    public init(directory path: String, maximumBytes: Int = 5_000_000, now: @escaping @Sendable () -> Int64) throws {
        precondition(maximumBytes >= 0, "at most \(maximumBytes) bytes")
        self.maximumBytes = maximumBytes
        self.now = now
        directory = try FileDirectory(path)
        let names = directory.names()
        if !names.isEmpty, !names.contains(Self.marker) { throw FileCacheError.foreignDirectory }
        lock = try directory.openOrMake(Self.marker)
        guard try lock.lock(exclusive: true, waits: false) else { throw FileCacheError.inUse }
        state.withLock { load(names, &$0) }
    }

    /// The bytes that the files take now.
    public var byteCount: Int { Int(clamping: state.withLock { $0.size }) }

    /// What is kept under `key`, the most recent first.
    public func entries(for key: String) async throws -> [CachedResponse] {
        state.withLock { state in
            var found: [CachedResponse] = []
            for index in state.entries[ByteKey(key)]?.indices ?? 0..<0 {
                guard let (entry, isDue) = noteUse(&state, ByteKey(key), index) else { continue }
                if let cached = open(entry, isDue) { found.append(cached) }
            }
            return found.sorted { $0.response.receivedAt > $1.response.receivedAt }
        }
    }

    /// Begins to keep a response whose body is still to come.
    ///
    /// One that takes more than nine tenths of the most is not kept; it can be read as long as it is held.
    public func write(
        _ response: StoredResponse, for key: String, options: KeepOptions
    ) async throws -> any ResponseWriter {
        var record = ResponseRecord(response, key: key, options: options, now: now()).withoutSecrets()
        try record.checkLimits()
        let identity = state.withLock { state in
            defer { state.nextIdentity += 1 }
            return state.nextIdentity
        }
        record.blob = Int64(clamping: identity)
        let name = Self.hexadecimal(identity) + Self.unfinished
        let file = CacheFile(new: try directory.make(name), for: record)
        return FileResponseWriter(cache: self, name: name, file: file, record: record)
    }

    /// Puts new metadata in place of an entry's; its body is not touched.
    public func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws {
        try edit(entry.key) { record in
            guard UInt64(bitPattern: record.blob) == entry.identity else { return }
            record.refresh(with: response)
            record = record.withoutSecrets()
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

    /// Removes the responses whose time to be swept has come, and tells how many those were.
    @discardableResult
    public func sweepExpired() -> Int {
        let now = now()
        return remove { record in record.sweepAt.map { $0 <= now } ?? false }
    }

    func remove(_ isSelected: (ResponseRecord) -> Bool) -> Int {
        state.withLock { state in
            let doomed = state.entries.values.joined().filter { isSelected($0.record) }
            for entry in doomed { drop(entry, &state) }
            return doomed.count
        }
    }
}

// MARK: - Looking through the directory

extension FileCache {
    private func load(_ names: [String], _ state: inout State) {
        var found: [(entry: Entry, usedAt: Int64)] = []
        for name in names where name != Self.marker {
            if let entry = read(name) {
                found.append(entry)
            } else {
                directory.remove(name)
            }
        }
        found.sort { ($0.usedAt, $0.entry.record.blob) < ($1.usedAt, $1.entry.record.blob) }
        for (var entry, _) in found {
            state.clock += 1
            entry.lastUse = state.clock
            insert(entry, &state)
            state.nextIdentity = max(state.nextIdentity, UInt64(clamping: entry.record.blob) + 1)
        }
        makeRoom(&state)
    }

    private func read(_ name: String) -> (entry: Entry, usedAt: Int64)? {
        guard name.hasSuffix(Self.suffix), let file = try? directory.open(name),
            let (found, record) = try? CacheFile.read(file), Self.name(of: record) == name,
            StoredResponse(record) != nil, let usedAt = try? file.modifiedAt()
        else { return nil }
        return (Entry(record: record, name: name, size: found.fileSize, lastUse: 0, notedAt: usedAt), usedAt)
    }

    private static func name(of record: ResponseRecord) -> String {
        hexadecimal(UInt64(bitPattern: ResponsePlace.hash(of: record.key))) + "-"
            + hexadecimal(UInt64(bitPattern: record.blob)) + suffix
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

// MARK: - Changing what is there

extension FileCache {
    /// Gives a finished file its name, in place of the response it replaces.
    ///
    /// - Returns: false when there is no room for it: the file is removed, and lives on while it is open.
    func install(_ file: CacheFile, _ record: ResponseRecord, from name: String) throws -> Bool {
        let isKept = try state.withLock { state in
            if Double(file.fileSize) > 0.9 * Double(maximumBytes) {
                directory.remove(name)
                return false
            }
            let time = now()
            try file.file.setModifiedAt(time)
            try directory.rename(name, to: Self.name(of: record))
            let replaced = state.entries[ByteKey(record.key)]?.first { $0.record.selecting == record.selecting }
            if let replaced { drop(replaced, &state) }
            state.clock += 1
            insert(
                Entry(
                    record: record, name: Self.name(of: record), size: file.fileSize, lastUse: state.clock,
                    notedAt: time), &state)
            makeRoom(&state)
            return state.entries[ByteKey(record.key)]?.contains { $0.record.blob == record.blob } ?? false
        }
        if isKept { try directory.sync() }
        return isKept
    }

    func abandon(_ name: String) { directory.remove(name) }

    private func insert(_ entry: Entry, _ state: inout State) {
        state.entries[ByteKey(entry.record.key), default: []].append(entry)
        state.size += entry.size
    }

    private func drop(_ entry: Entry, _ state: inout State) {
        directory.remove(entry.name)
        let key = ByteKey(entry.record.key)
        guard let index = state.entries[key]?.firstIndex(where: { $0.name == entry.name }) else { return }
        state.entries[key]?.remove(at: index)
        if state.entries[key]?.isEmpty == true { state.entries[key] = nil }
        state.size -= entry.size
    }

    /// When there is too much, removes what was used longest ago until nine tenths of the most are left. Pinned responses
    /// stay, and what comes in goes when they leave no room.
    private func makeRoom(_ state: inout State) {
        if state.size <= UInt64(maximumBytes) { return }
        let goal = UInt64(Double(maximumBytes) * 0.9)
        let candidates = state.entries.values.joined().filter { !$0.record.isPinned }
        for entry in candidates.sorted(by: { $0.lastUse < $1.lastUse }) where state.size > goal { drop(entry, &state) }
        let newest = state.entries.values.joined().sorted { $0.lastUse > $1.lastUse }
        for entry in newest where state.size > UInt64(maximumBytes) { drop(entry, &state) }
    }

    private func edit(_ key: String, _ edit: (inout ResponseRecord) -> Void) throws {
        try state.withLock { state in
            for index in state.entries[ByteKey(key)]?.indices ?? 0..<0 {
                guard var entry = state.entries[ByteKey(key)]?[index] else { continue }
                let before = entry.record
                edit(&entry.record)
                if entry.record == before { continue }
                let size = try rewrite(&entry)
                state.size = state.size - entry.size + size
                entry.size = size
                state.entries[ByteKey(key)]?[index] = entry
            }
        }
    }

    /// Writes the head of an entry's file, and the file anew when that has no room for it.
    ///
    /// - Returns: the size of the file.
    private func rewrite(_ entry: inout Entry) throws -> UInt64 {
        guard var (file, _) = try CacheFile.read(try directory.open(entry.name)) else { throw HTTPCacheError.bodyGone }
        if try file.put(entry.record) {
            try file.file.setModifiedAt(entry.notedAt)
            return file.fileSize
        }
        let name = entry.name + Self.unfinished
        var copy = CacheFile(new: try directory.make(name), for: entry.record)
        var block: Int64 = 0
        while copy.byteCount < file.byteCount {
            guard let bytes = try file.block(block) else { throw HTTPCacheError.bodyGone }
            try copy.append(bytes)
            block += 1
        }
        try copy.finish(entry.record)
        try copy.file.setModifiedAt(entry.notedAt)
        try directory.rename(name, to: entry.name)
        return copy.fileSize
    }
}

// MARK: - Using what is there

extension FileCache {
    /// The used entry, and whether its file is to learn of the use, for the order in which files go after the next start.
    private func noteUse(_ state: inout State, _ key: ByteKey, _ index: Int) -> (entry: Entry, isDue: Bool)? {
        guard var entry = state.entries[key]?[index] else { return nil }
        state.clock += 1
        entry.lastUse = state.clock
        let time = now()
        let passed = time.subtractingReportingOverflow(entry.notedAt).partialValue
        let isDue = passed.magnitude >= Self.noteInterval.magnitude
        if isDue { entry.notedAt = time }
        state.entries[key]?[index] = entry
        return (entry, isDue)
    }

    /// The entry with its file open; nil when that has gone behind our back.
    private func open(_ entry: Entry, _ isDue: Bool) -> CachedResponse? {
        guard let file = try? directory.open(entry.name), let (found, _) = try? CacheFile.read(file) else { return nil }
        // A use that is forgotten costs a place in the order.
        if isDue { try? file.setModifiedAt(entry.notedAt) }
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
