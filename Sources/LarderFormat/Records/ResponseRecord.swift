/// A record of `responses`: an HTTP response without its body.
///
/// FORMAT.md, "responses". Key: ``ResponseKey/response(_:)``. The body is a blob.
package struct ResponseRecord: TupleRecord, Hashable, Sendable {
    /// A restriction on its use that was set after it was stored.
    package enum Demand: Int64, Sendable, CaseIterable {
        /// No restriction: its own header fields decide.
        case none = 0
        /// It must be validated soon, and may be used meanwhile.
        case refresh = 1
        /// It must be validated before its next use.
        case validation = 2
    }

    /// The part of a representation that is the body.
    package struct Part: Hashable, Sendable {
        /// The position of its first byte.
        package var start: Int64
        /// The position behind its last byte.
        package var end: Int64
        /// The length of the whole representation; nil when it is not known.
        package var total: Int64?

        /// Creates a part of these bounds.
        package init(start: Int64, end: Int64, total: Int64?) {
            self.start = start
            self.end = end
            self.total = total
        }
    }

    /// The cache key.
    package var key = ""
    /// The method of the request.
    package var method = ""
    /// The target URI.
    package var url = ""
    /// The status code.
    package var status: Int64 = 0
    /// The header fields, in their order.
    package var fields: [HeaderField] = []
    /// When the request was sent, in milliseconds since 1970-01-01 UTC.
    package var requestedAt: Int64 = 0
    /// When the head of the response was received, likewise.
    package var receivedAt: Int64 = 0
    /// The request fields that select it among the responses of its key.
    package var selecting: [SelectingField] = []
    /// The part of the representation that is the body; nil for the whole.
    package var part: Part?
    /// The restriction on its use that was set after it was stored.
    package var demand = Demand.none
    /// The number of the blob that is its body. It also distinguishes this response from every other one of its key, at
    /// any time.
    package var blob: Int64 = 0
    /// The length of the body in bytes.
    package var byteCount: Int64 = 0
    /// Names for removing it together with others: ascending bytewise, each once.
    package private(set) var tags: [String] = []
    /// Whether eviction skips the response.
    package var isPinned = false
    /// When it was stored, in milliseconds since 1970-01-01 UTC; a confirmation by the server does not change it.
    package var storedAt: Int64 = 0
    /// Approximately when it was last used, likewise.
    package var lastUsedAt: Int64 = 0

    package init() {}

    /// Makes a record without a body, a selection or a tag, last used when it was stored.
    package init(
        key: String, method: String, url: String, status: Int64, fields: [HeaderField], requestedAt: Int64,
        receivedAt: Int64, storedAt: Int64
    ) {
        self.key = key
        self.method = method
        self.url = url
        self.status = status
        self.fields = fields
        self.requestedAt = requestedAt
        self.receivedAt = receivedAt
        self.storedAt = storedAt
        lastUsedAt = storedAt
    }

    /// Replaces its tags.
    package mutating func setTags(_ tags: some Sequence<String>) {
        var sorted: [String] = []
        for tag in tags.sorted(by: { $0.precedesBytewise($1) }) where sorted.last?.equalsBytewise(tag) != true {
            sorted.append(tag)
        }
        self.tags = sorted
    }
}

// MARK: - Coding

extension ResponseRecord {
    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&key)
        coder.text(&method)
        coder.text(&url)
        coder.count("status", &status)
        coder.list(&fields)
        coder.integer(&requestedAt)
        coder.integer(&receivedAt)
        coder.list(&selecting, of: SelectingField(name: "", value: nil)) { coder, field in
            coder.text(&field.name)
            coder.text(&field.value)
        }
        codePart(&coder)
        coder.state("demand", &demand)
        coder.count("blob", &blob)
        coder.count("byteCount", &byteCount)
        coder.list(&tags, of: "") { $0.text(&$1) }
        if !zip(tags, tags.dropFirst()).allSatisfy({ $0.precedesBytewise($1) }) { coder.fail(.notCanonical(offset: 0)) }
        coder.bool(&isPinned)
        coder.reserved()
        coder.integer(&storedAt)
        coder.integer(&lastUsedAt)
    }

    private mutating func codePart(_ coder: inout FieldCoder) {
        var (start, end, total) = (part?.start, part?.end, part?.total)
        coder.count("partStart", &start)
        coder.count("partEnd", &end)
        coder.count("partTotal", &total)
        if let start, let end {
            coder.require(start <= end && end <= total ?? end, "partEnd", end)
            part = Part(start: start, end: end, total: total)
        } else {
            coder.require(start == nil && end == nil && total == nil, "part", start ?? end ?? total ?? 0)
        }
    }

    /// Checks that every part of the record fits the format.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)`` for a cache key or URI beyond ``Limits/cacheKey``,
    ///   ``FormatError/keyTooLong(actual:limit:)`` for a tag, ``FormatError/payloadTooLarge(actual:limit:)`` for a
    ///   record beyond ``Limits/responseHead``.
    package func checkLimits() throws(FormatError) {
        for text in [key, url] where text.utf8.count > Limits.cacheKey {
            throw .textTooLong(actual: text.utf8.count, limit: Limits.cacheKey)
        }
        for tag in tags { try Limits.check(tag: tag) }
        let size = encode().count
        if size > Limits.responseHead { throw .payloadTooLarge(actual: size, limit: Limits.responseHead) }
    }
}
