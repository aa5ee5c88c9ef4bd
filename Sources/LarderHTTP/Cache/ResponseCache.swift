/// A place where responses are kept: the store, memory, a directory of files, or none.
///
/// A key is the target URI, or a text that the host chose. One key holds all responses that `Vary` distinguishes. A
/// cache stores and finds responses; the policy decides which to store and use. Methods throw the errors of the medium.
public protocol ResponseCache: Sendable {
    /// The longest body that the cache stores, in bytes.
    var bodyLimit: Int64 { get }

    /// Whether the cache ends with the process, so that responses are stored with their `Set-Cookie`.
    var isVolatile: Bool { get }

    /// Returns the responses stored under `key`, the most recent first.
    ///
    /// Records the use of a single entry, for eviction. Of several, ``recordUse(of:)`` records the one that was selected.
    /// Blocks while a few records are read.
    func entries(for key: String) async throws -> [CachedResponse]

    /// Records the use of an entry. Eviction removes the least recently used entries first.
    func recordUse(of entry: CachedResponse)

    /// Begins to store a response whose body follows; nothing is visible before ``ResponseWriter/finish(coverage:)``.
    ///
    /// The response replaces the one with the same key and the same selecting fields.
    func write(_ response: StoredResponse, for key: String, options: StorageOptions) async throws -> any ResponseWriter

    /// Replaces the metadata of an entry; the body stays the same.
    ///
    /// If the selecting fields change, the entry replaces the response of the same key that has them. Does nothing when
    /// the entry was replaced or removed meanwhile.
    func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws

    /// Adds tags to an entry, and pins it where the options say so; it loses none.
    ///
    /// Does nothing when the entry was replaced or removed meanwhile.
    func add(_ options: StorageOptions, to entry: CachedResponse) async throws

    /// Marks the responses under `key`: each is validated before its next use.
    func invalidate(_ key: String) async throws

    /// Removes the responses that `selection` names, and returns their number.
    @discardableResult
    func remove(_ selection: CacheSelection) async throws -> Int

    /// Removes this entry only; its successor and the other responses of its key stay.
    func discard(_ entry: CachedResponse) async throws

    /// Returns the random key for hashing secrets that select a response. It lasts as long as the responses.
    ///
    /// - Parameter draw: makes 16 bytes or more when there are none yet; nil draws none.
    /// - Returns: nil when there are none, or the cache keeps none: such responses are then not stored.
    func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]?
}

extension ResponseCache {
    /// No limit.
    public var bodyLimit: Int64 { .max }

    /// False: responses are kept without `Set-Cookie`.
    public var isVolatile: Bool { false }

    /// Adds nothing, for a cache without tags and pins.
    ///
    /// - Throws: nothing.
    public func add(_ options: StorageOptions, to entry: CachedResponse) async throws {}

    /// Records nothing.
    public func recordUse(of entry: CachedResponse) {}

    /// Removes every response of the entry's key, for a cache that cannot distinguish entries.
    ///
    /// - Throws: as ``remove(_:)``.
    public func discard(_ entry: CachedResponse) async throws { try await remove(.key(entry.key)) }

    /// Returns no salt.
    ///
    /// - Throws: nothing.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? { nil }
}

/// The options for storing a response.
public struct StorageOptions: Hashable, Sendable {
    /// The names by which it can be removed together with others.
    public var tags: Set<String>
    /// Whether it is exempt from eviction.
    public var isPinned: Bool

    /// Options of these parts.
    public init(tags: Set<String> = [], isPinned: Bool = false) {
        self.tags = tags
        self.isPinned = isPinned
    }
}

/// A selection of responses to remove.
public enum CacheSelection: Hashable, Sendable {
    /// The responses of one key.
    case key(String)
    /// The responses whose keys begin with a text.
    case prefix(String)
    /// The responses with a tag.
    case tag(String)
    /// All responses.
    case all
}

/// A stored response: its metadata, and a body that is read on demand.
public struct CachedResponse: Sendable {
    /// What copies share, since a fetch makes many and each would count its references.
    struct Head: Sendable {
        var key: String
        var response: StoredResponse
        var tags: Set<String>
        var isPinned = false
    }

    private var head: Shared<Head>
    /// A number that distinguishes this entry from earlier and later ones of the same key.
    public var identity: UInt64
    /// The body.
    public var body: any BodySource
    /// Whether the cache keeps it. A response that does not fit is readable while it is held, and is not found again.
    public var isStored: Bool

    /// The key it is stored under.
    public var key: String {
        get { head.value.key }
        set { change { $0.key = newValue } }
    }

    /// The metadata: everything but the body.
    public var response: StoredResponse {
        get { head.value.response }
        set { change { $0.response = newValue } }
    }

    /// The names by which it can be removed together with others.
    public var tags: Set<String> {
        get { head.value.tags }
        set { change { $0.tags = newValue } }
    }

    /// Whether it is exempt from eviction.
    public var isPinned: Bool {
        get { head.value.isPinned }
        set { change { $0.isPinned = newValue } }
    }

    /// An entry of these parts, not pinned.
    public init(
        key: String, identity: UInt64, response: StoredResponse, body: any BodySource, tags: Set<String>,
        isStored: Bool = true
    ) {
        self.init(
            Shared(Head(key: key, response: response, tags: tags)), identity: identity, body: body, isStored: isStored)
    }

    init(_ head: Shared<Head>, identity: UInt64, body: any BodySource, isStored: Bool = true) {
        self.head = head
        self.identity = identity
        self.body = body
        self.isStored = isStored
    }

    private mutating func change(_ edit: (inout Head) -> Void) {
        var value = head.value
        edit(&value)
        head = Shared(value)
    }
}

/// A value that copies of its owner share.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

/// The bytes of a stored body; nothing is read or copied in advance.
///
/// A body stays readable while it is held, also when its response is replaced or removed. If it was evicted for space,
/// or removed by another process, reading throws ``HTTPCacheError/bodyRemoved``.
public protocol BodySource: Sendable {
    /// Its length in bytes.
    var byteCount: Int64 { get }

    /// Calls `body` with the bytes in `range`, piece by piece and in order; a piece is valid during its call only.
    ///
    /// Blocks while the bytes are read.
    ///
    /// - Throws: ``HTTPCacheError/bodyRemoved`` when the body was removed or is damaged; the errors of `body`, which end
    ///   the read; the errors of the medium.
    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws
}

/// A writer for the body of a response that is being stored. Its methods throw the errors of the medium.
public protocol ResponseWriter: Sendable {
    /// Appends bytes to the body.
    func append(_ bytes: RawSpan) throws
    /// Waits until the appended bytes are written as far as the cache requires: back-pressure.
    func flush() async throws
    /// Makes the response visible and returns it. One that does not fit is only readable: ``CachedResponse/isStored``.
    ///
    /// - Parameter coverage: the part of the representation that the body proved to be; nil keeps the first coverage.
    func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse
    /// Discards the response; the previous one stays.
    func cancel() async
}
