/// Where responses are kept: the store, memory, a directory of files, or nowhere.
///
/// A key is the target URI, or a text of the host's own; under one key lie the responses that `Vary` tells apart.
/// A cache keeps and finds; what may be kept and used is the policy's to say.
public protocol ResponseCache: Sendable {
    /// The longest body it keeps, in bytes; a longer one is not begun.
    var bodyLimit: Int64 { get }

    /// Whether nothing that it keeps outlasts the process: then responses are kept with their `Set-Cookie`.
    var isVolatile: Bool { get }

    /// What is kept under `key`, the most recent first.
    ///
    /// Notes the use of a single entry, for eviction; of several, ``noteUse(of:)`` notes the one that was selected.
    /// Blocks for as long as reading a few records takes.
    func entries(for key: String) async throws -> [CachedResponse]

    /// Notes that an entry answered a request: what was used longest ago is evicted first.
    func noteUse(of entry: CachedResponse)

    /// Begins to keep a response whose body is still to come; nothing is visible before ``ResponseWriter/finish()``.
    ///
    /// It takes the place of the response of the same key and the same selecting fields.
    func write(_ response: StoredResponse, for key: String, options: KeepOptions) async throws -> any ResponseWriter

    /// Puts new metadata in place of an entry's; its body is not touched.
    ///
    /// With other selecting fields it takes the place of the response of the same key that has them.
    ///
    /// Does nothing when the entry was replaced or removed meanwhile.
    func refresh(_ entry: CachedResponse, with response: StoredResponse) async throws

    /// Marks what is kept under `key` as to be validated before its next use.
    func invalidate(_ key: String) async throws

    /// Removes what `selection` says, and tells how many responses that were.
    @discardableResult
    func remove(_ selection: CacheSelection) async throws -> Int

    /// Removes this very entry; one that took its place, and the others of its key, stay.
    func discard(_ entry: CachedResponse) async throws

    /// The random bytes under which secrets that select a response are hashed: the same for the life of what is kept.
    ///
    /// - Parameter draw: makes 16 bytes or more, where there are none yet; nil: nothing is drawn.
    /// - Returns: nil when there are none, or the cache keeps none: such responses are then not stored.
    func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]?
}

extension ResponseCache {
    /// Any length.
    public var bodyLimit: Int64 { .max }

    /// False: responses are kept without `Set-Cookie`.
    public var isVolatile: Bool { false }

    /// Notes nothing.
    public func noteUse(of entry: CachedResponse) {}

    /// Removes everything of the entry's key: for a cache that cannot tell entries apart.
    public func discard(_ entry: CachedResponse) async throws { try await remove(.key(entry.key)) }

    /// None.
    public func selectingSalt(drawing draw: (@Sendable () -> [UInt8])?) async throws -> [UInt8]? { nil }
}

/// How a response is kept.
public struct KeepOptions: Hashable, Sendable {
    /// Names by which it can be removed together with others.
    public var tags: Set<String>
    /// Whether eviction leaves it alone.
    public var isPinned: Bool

    /// Options of these parts.
    public init(tags: Set<String> = [], isPinned: Bool = false) {
        self.tags = tags
        self.isPinned = isPinned
    }
}

/// Which responses to remove.
public enum CacheSelection: Hashable, Sendable {
    /// Those of one key.
    case key(String)
    /// Those whose keys begin with a text.
    case prefix(String)
    /// Those with a tag.
    case tag(String)
    /// All.
    case all
}

/// A kept response: its metadata, and a body that is read when asked for.
public struct CachedResponse: Sendable {
    /// What it is kept under.
    public var key: String
    /// Tells this entry from an earlier or later one of the same key.
    public var identity: UInt64
    /// Everything but the body.
    public var response: StoredResponse
    /// The body.
    public var body: any BodySource
    /// Names by which it can be removed together with others.
    public var tags: Set<String>
    /// Whether the cache keeps it; a response without room can be read as long as it is held, and is not found again.
    public var isKept: Bool

    /// An entry of these parts.
    public init(
        key: String, identity: UInt64, response: StoredResponse, body: any BodySource, tags: Set<String>,
        isKept: Bool = true
    ) {
        self.key = key
        self.identity = identity
        self.response = response
        self.body = body
        self.tags = tags
        self.isKept = isKept
    }
}

/// The bytes of a kept body; nothing is read or copied before it is asked for.
///
/// It stays readable while somebody holds it, also when its response is replaced or removed, except where room was needed
/// or another process removed it: then reading throws ``HTTPCacheError/bodyGone``.
public protocol BodySource: Sendable {
    /// Its length in bytes.
    var byteCount: Int64 { get }

    /// Calls `body` with the bytes in `range`, piece by piece and in order; a piece is valid during its call only.
    ///
    /// Blocks for as long as reading takes.
    func read(_ range: Range<Int64>, _ body: (RawSpan) throws -> Void) throws
}

/// Takes the body of a response that is being kept.
public protocol ResponseWriter: Sendable {
    /// Adds to the body.
    func append(_ bytes: RawSpan) throws
    /// Waits until what was added lies where it belongs: back-pressure.
    func flush() async throws
    /// Makes the response visible and gives it back as it is kept, or as it can be read where there is no room for it:
    /// ``CachedResponse/isKept``.
    ///
    /// - Parameter coverage: what part the body turned out to be; nil leaves what was said at first.
    func finish(coverage: StoredResponse.Coverage?) async throws -> CachedResponse
    /// Gives up: what was there before stays.
    func cancel() async
}
