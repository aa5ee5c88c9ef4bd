public import HTTPTypes
public import LarderFormat
internal import LarderTransport

/// What is asked of a server.
public enum ObjectQuestion: Hashable, Sendable {
    /// One object.
    case object(ObjectName)
    /// The objects that answer a query, or that a reference leads to.
    case collection(CollectionName)
    /// The content of a file.
    case file(ObjectFile)
}

/// What a server is told.
public enum ObjectWrite: Hashable, Sendable {
    /// To make an object, to which the server gives its id; until then it has the id of this name.
    case create(ObjectName)
    /// To keep an object.
    case save(ObjectName)
    /// To remove an object.
    case delete(ObjectName)
    /// To keep the content of a file.
    case upload(ObjectFile)

    /// The object that it is about.
    public var object: ObjectName {
        switch self {
        case .create(let object), .save(let object), .delete(let object): object
        case .upload(let file): file.object
        }
    }

    /// The same about another object.
    func about(_ name: ObjectName) -> ObjectWrite {
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
    /// What it refers to, when the server sent that along.
    public struct References: Hashable, Sendable {
        /// The attribute that refers.
        public var attribute: String
        /// The class it refers to.
        public var className: String
        /// What it refers to, in order.
        public var objects: [ReceivedObject]

        /// References of these parts.
        public init(attribute: String, className: String, objects: [ReceivedObject]) {
            self.attribute = attribute
            self.className = className
            self.objects = objects
        }
    }

    /// What the server calls it.
    public var id: String
    /// The payload to keep.
    public var payload: [UInt8]
    /// When the server last changed it, in milliseconds since 1970-01-01 UTC; nil where it does not say.
    public var updatedAt: Int64?
    /// What it refers to; each class is kept where its own setting says.
    public var references: [References]

    /// An object of these parts.
    public init(id: String, payload: [UInt8], updatedAt: Int64? = nil, references: [References] = []) {
        self.id = id
        self.payload = payload
        self.updatedAt = updatedAt
        self.references = references
    }
}

/// How a server is spoken to: its paths, its documents, its credentials.
public protocol ObjectService: Sendable {
    /// What the payloads of its objects are marked with.
    var codec: PayloadCodec { get }

    /// The name that objects in the store are bound to (`ServerMismatch`); nil, the default: scheme and authority of the requests.
    /// For a server that has several addresses, or moves.
    var serverIdentity: String? { get }

    /// Where a question is asked, by GET: a path with its query, beginning with `/`.
    func path(of question: ObjectQuestion) throws -> String

    /// How a server is told something.
    func target(of write: ObjectWrite) throws -> (method: HTTPRequest.Method, path: String)

    /// A request to a path: with scheme, authority, and the fields that every request has. Called for each sending, so
    /// credentials are those of that moment.
    func request(_ method: HTTPRequest.Method, _ path: String) throws -> HTTPRequest

    /// The objects in the body of an answer: one for ``ObjectQuestion/object(_:)``, else all, in order.
    ///
    /// - Throws: when the body cannot be understood.
    func objects(in body: [UInt8], answering question: ObjectQuestion) throws -> [ReceivedObject]

    /// The media type of the body of a write; by default `application/octet-stream` for uploads.
    ///
    /// Nil, which is the default for the rest, is that of ``request(_:_:)``, or else of the ``WriteQueue`` or the codec.
    func contentType(of write: ObjectWrite) -> String?

    /// The id of a new object, for an answer of success that does not hold it; by default the last part of the path in `Location`, where
    /// that has no percent escapes (RFC 9110 §15.3.2). Nil where the answer does not say.
    func id(ofCreated head: HTTPResponse) -> String?

    /// Whether an answer of success is the server's own; by default any but an HTML page, which a captive portal or a sign-in
    /// page sends in the server's place.
    ///
    /// What is no answer keeps nothing and confirms nothing: the server counts as not reached.
    ///
    /// - Parameter path: what the request was for.
    func accepts(_ head: HTTPResponse, at path: String) -> Bool
}

extension ObjectService {
    /// Scheme and authority of the requests.
    public var serverIdentity: String? { nil }

    /// `application/octet-stream` for uploads, nil for the rest.
    public func contentType(of write: ObjectWrite) -> String? {
        if case .upload = write { "application/octet-stream" } else { nil }
    }

    /// The last part of the path in `Location`; nil for one that has percent escapes.
    public func id(ofCreated head: HTTPResponse) -> String? {
        let path = head.headerFields[.location]?.prefix { $0 != "?" && $0 != "#" }
        let last = path?.split(separator: "/", omittingEmptySubsequences: false).last
        return last.flatMap { $0.isEmpty || $0.contains("%") ? nil : String($0) }
    }

    /// False for an HTML page.
    public func accepts(_ head: HTTPResponse, at path: String) -> Bool {
        !CaptivePortal.isLikely(status: head.status.code, contentType: head.headerFields[.contentType])
    }
}
