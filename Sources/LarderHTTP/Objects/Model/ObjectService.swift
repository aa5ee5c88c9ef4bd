public import HTTPTypes
public import LarderFormat
internal import LarderTransport

/// A lookup on a server.
public enum ObjectQuery: Hashable, Sendable {
    /// One object.
    case object(ObjectName)
    /// The objects that a query selects, or that a reference leads to.
    case collection(CollectionName)
    /// The content of a file.
    case file(ObjectFile)
}

/// A write to a server.
public enum ObjectWrite: Hashable, Sendable {
    /// Creates an object, to which the server gives its id; until then it has the id of this name.
    case create(ObjectName)
    /// Saves an object.
    case save(ObjectName)
    /// Removes an object.
    case delete(ObjectName)
    /// Saves the content of a file.
    case upload(ObjectFile)

    /// The object that it is about.
    public var object: ObjectName {
        switch self {
        case .create(let object), .save(let object), .delete(let object): object
        case .upload(let file): file.object
        }
    }

    /// Returns the same write about another object.
    func withName(_ name: ObjectName) -> ObjectWrite {
        switch self {
        case .create: .create(name)
        case .save: .save(name)
        case .delete: .delete(name)
        case .upload(let file): .upload(ObjectFile(of: name, attribute: file.attribute))
        }
    }
}

/// An object as it came from a server.
public struct ReceivedObject: Hashable, Sendable {
    /// The objects that one attribute of an object refers to, when the server sent them too.
    public struct References: Hashable, Sendable {
        /// The attribute that refers to them.
        public var attribute: String
        /// The class of the objects.
        public var className: String
        /// The objects, in order.
        public var objects: [ReceivedObject]

        /// References of these parts.
        public init(attribute: String, className: String, objects: [ReceivedObject]) {
            self.attribute = attribute
            self.className = className
            self.objects = objects
        }
    }

    /// The server's id of the object.
    public var id: String
    /// The payload to keep.
    public var payload: [UInt8]
    /// The time of the server's last change, in milliseconds since 1970-01-01 UTC; nil where it is not given.
    public var updatedAt: Int64?
    /// The objects that it refers to; each class is kept where its own setting says.
    public var references: [References]

    /// An object of these parts.
    public init(id: String, payload: [UInt8], updatedAt: Int64? = nil, references: [References] = []) {
        self.id = id
        self.payload = payload
        self.updatedAt = updatedAt
        self.references = references
    }
}

/// The rules for requests to a server: its paths, its documents, its credentials.
public protocol ObjectService: Sendable {
    /// The codec of the payloads of its objects.
    var codec: PayloadCodec { get }

    /// The name of the server that objects in the store are bound to (`ServerMismatch`); nil, the default: scheme and
    /// authority of the requests. Set it for a server that has several addresses, or moves.
    var serverIdentity: String? { get }

    /// Returns the path of a lookup, by GET: with its query, beginning with `/`.
    ///
    /// - Throws: an error of its own when there is none; the cache throws ``HTTPCacheError/invalidRequest(_:)`` for it.
    func path(of query: ObjectQuery) throws -> String

    /// Returns the method and path of a write.
    ///
    /// - Throws: as ``path(of:)``.
    func target(of write: ObjectWrite) throws -> (method: HTTPRequest.Method, path: String)

    /// Returns a request to a path, with scheme, authority, and the fields that every request has. Called for each
    /// sending, so that the credentials are current.
    ///
    /// - Throws: as ``path(of:)``.
    func request(_ method: HTTPRequest.Method, _ path: String) throws -> HTTPRequest

    /// Returns the objects in the body of a response: one for ``ObjectQuery/object(_:)``, else all, in order.
    ///
    /// - Throws: an error of its own when the body cannot be understood.
    func objects(in body: [UInt8], answering query: ObjectQuery) throws -> [ReceivedObject]

    /// Returns the media type of the body of a write; by default `application/octet-stream` for uploads.
    ///
    /// Nil, the default for other writes, is that of ``request(_:_:)``, or else of the ``WriteQueue`` or the codec.
    func contentType(of write: ObjectWrite) -> String?

    /// Returns the id of a new object, for a successful response that does not contain it; nil where the response does
    /// not name it. By default it is the last part of the path in `Location`, if that has no percent escapes (RFC 9110
    /// §15.3.2).
    func id(ofCreated head: HTTPResponse) -> String?

    /// Whether a successful response is the server's own. By default all are but an HTML page, which a captive portal
    /// or a sign-in page sends in the server's place.
    ///
    /// A response that is not the server's stores nothing and confirms nothing: the server counts as not reached.
    ///
    /// - Parameters:
    ///   - head: the status and the header fields of the response.
    ///   - path: the path of the request.
    func isOwnResponse(_ head: HTTPResponse, at path: String) -> Bool
}

extension ObjectService {
    /// Nil: the scheme and authority of the requests.
    public var serverIdentity: String? { nil }

    /// Returns `application/octet-stream` for uploads, nil for other writes.
    public func contentType(of write: ObjectWrite) -> String? {
        if case .upload = write { "application/octet-stream" } else { nil }
    }

    /// Returns the last part of the path in `Location`; nil for one that is empty or has percent escapes.
    public func id(ofCreated head: HTTPResponse) -> String? {
        let path = head.headerFields[.location]?.prefix { $0 != "?" && $0 != "#" }
        let last = path?.split(separator: "/", omittingEmptySubsequences: false).last
        return last.flatMap { $0.isEmpty || $0.contains("%") ? nil : String($0) }
    }

    /// Returns false for an HTML page.
    public func isOwnResponse(_ head: HTTPResponse, at path: String) -> Bool {
        !CaptivePortal.isLikely(status: head.status.code, contentType: head.headerFields[.contentType])
    }
}
