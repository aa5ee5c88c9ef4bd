public import HTTPTypes
internal import LarderFormat
internal import LarderStore

/// Which header fields carry validators, to and fro.
public struct ValidatorFields: Hashable, Sendable {
    /// The field a validator comes in, and the one it is sent back in.
    public struct Exchange: Hashable, Sendable {
        /// In a response.
        public var received: HTTPField.Name
        /// In a request.
        public var sent: HTTPField.Name

        /// An exchange by these fields.
        public init(received: HTTPField.Name, sent: HTTPField.Name) {
            self.received = received
            self.sent = sent
        }
    }

    /// What validates one kind of answer.
    public struct Kind: Hashable, Sendable {
        /// The entity tag; nil where there is none.
        public var entityTag: Exchange?
        /// The date of the last change; nil where there is none.
        public var lastModified: Exchange?

        /// Validators of these parts.
        public init(entityTag: Exchange? = nil, lastModified: Exchange? = nil) {
            self.entityTag = entityTag
            self.lastModified = lastModified
        }

        /// As HTTP names them. RFC 9110 §8.8, §13.1.
        public static let http = Kind(
            entityTag: Exchange(received: .eTag, sent: .ifNoneMatch),
            lastModified: Exchange(received: .lastModified, sent: .ifModifiedSince))
    }

    /// For collections.
    public var collection: Kind
    /// For single objects and for files.
    public var object: Kind
    /// Whether collections with a query are validated at all.
    public var validatesQueries: Bool

    /// Fields of these kinds.
    public init(collection: Kind, object: Kind, validatesQueries: Bool) {
        self.collection = collection
        self.object = object
        self.validatesQueries = validatesQueries
    }

    /// As HTTP has it: `ETag` with `If-None-Match`, `Last-Modified` with `If-Modified-Since`. RFC 9110 §13.1.
    public static let standard = ValidatorFields(collection: .http, object: .http, validatesQueries: true)

    /// As ApiOmat has it: both ways `If-None-Match`, which for a collection carries its entity tag, and for a single
    /// object the date of its last change; collections with a query have no validator.
    public static let apiOmat = ValidatorFields(
        collection: Kind(entityTag: Exchange(received: .ifNoneMatch, sent: .ifNoneMatch)),
        object: Kind(lastModified: Exchange(received: .ifNoneMatch, sent: .ifNoneMatch)), validatesQueries: false)

    /// What validates the answers to a question; nil when nothing does.
    func kind(of question: ObjectQuestion) -> Kind? {
        switch question {
        case .collection(let name): name.query.isEmpty || validatesQueries ? collection : nil
        case .object, .file: object
        }
    }
}

extension ValidatorFields.Kind {
    /// What a response says; a validator too long to keep is as good as none.
    func validators(in head: HTTPResponse) -> Validators {
        func value(_ exchange: ValidatorFields.Exchange?) -> String? {
            guard let exchange, let value = head.headerFields[exchange.received], !value.isEmpty,
                (try? Limits.check(validator: value)) != nil
            else { return nil }
            return value
        }
        return Validators(entityTag: value(entityTag), lastModified: value(lastModified))
    }

    /// Makes a request conditional on `validators`.
    func apply(_ validators: Validators, to request: inout HTTPRequest) {
        if let exchange = lastModified, let value = validators.lastModified {
            request.headerFields[exchange.sent] = value
        }
        if let exchange = entityTag, let value = validators.entityTag { request.headerFields[exchange.sent] = value }
    }

    /// Takes conditions away that the host's own request may have.
    func strip(_ request: inout HTTPRequest) {
        for case let exchange? in [entityTag, lastModified] { request.headerFields[exchange.sent] = nil }
    }
}
