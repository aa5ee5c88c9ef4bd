public import HTTPTypes
internal import LarderFormat
internal import LarderStore

/// The header fields that carry validators in requests and responses.
public struct ValidatorFields: Hashable, Sendable {
    /// The field of a response that carries a validator, and the field of a request that returns it.
    public struct Exchange: Hashable, Sendable {
        /// The field of a response.
        public var received: HTTPField.Name
        /// The field of a request.
        public var sent: HTTPField.Name

        /// An exchange by these fields.
        public init(received: HTTPField.Name, sent: HTTPField.Name) {
            self.received = received
            self.sent = sent
        }
    }

    /// The validators of one kind of response.
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

        /// The fields of HTTP. RFC 9110 §8.8, §13.1.
        public static let http = Kind(
            entityTag: Exchange(received: .eTag, sent: .ifNoneMatch),
            lastModified: Exchange(received: .lastModified, sent: .ifModifiedSince))
    }

    /// The validators of collections.
    public var collection: Kind
    /// The validators of single objects and of files.
    public var object: Kind
    /// Whether collections with a query are validated at all.
    public var validatesQueries: Bool

    /// Fields of these kinds.
    public init(collection: Kind, object: Kind, validatesQueries: Bool) {
        self.collection = collection
        self.object = object
        self.validatesQueries = validatesQueries
    }

    /// The fields of HTTP: `ETag` with `If-None-Match`, `Last-Modified` with `If-Modified-Since`. RFC 9110 §13.1.
    public static let standard = ValidatorFields(collection: .http, object: .http, validatesQueries: true)

    /// The fields of ApiOmat: `If-None-Match` both ways. It carries the entity tag of a collection, and for a single
    /// object the date of its last change. Collections with a query have no validator.
    public static let apiOmat = ValidatorFields(
        collection: Kind(entityTag: Exchange(received: .ifNoneMatch, sent: .ifNoneMatch)),
        object: Kind(lastModified: Exchange(received: .ifNoneMatch, sent: .ifNoneMatch)), validatesQueries: false)

    /// Returns the validators of the responses to a lookup; nil when there are none.
    func kind(of query: ObjectQuery) -> Kind? {
        switch query {
        case .collection(let name): name.query.isEmpty || validatesQueries ? collection : nil
        case .object, .file: object
        }
    }
}

extension ValidatorFields.Kind {
    /// Returns the validators of a response, without one that is empty or too long to store.
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

    /// Removes the conditions that the host's own request may have.
    func strip(_ request: inout HTTPRequest) {
        for case let exchange? in [entityTag, lastModified] { request.headerFields[exchange.sent] = nil }
    }
}
