/// A record of `responses`: an HTTP response without its body.
///
/// FORMAT.md, "responses". Key: ``ResponseKey/response(_:)``. The body is a blob.
package struct ResponseRecord: Hashable, Sendable {
    /// A field of the request by which the response is selected.
    package struct SelectingField: Hashable, Sendable {
        /// The name, in lower case.
        package var name: String
        /// The request's value; nil when it had no such field.
        package var value: String?

        /// A selecting field of these parts.
        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }

        /// Whether both are encoded to the same bytes.
        package static func == (left: SelectingField, right: SelectingField) -> Bool {
            left.name.equalsBytewise(right.name)
                && left.value.map { Array($0.utf8) } == right.value.map { Array($0.utf8) }
        }

        /// Feeds what `==` compares to `hasher`.
        package func hash(into hasher: inout Hasher) {
            name.hashBytewise(into: &hasher)
            value?.hashBytewise(into: &hasher)
        }
    }

    /// What was said about its use after it was stored.
    package enum Demand: Int64, Sendable, CaseIterable {
        /// Nothing: it is used by its own word.
        case none = 0
        /// It is to be validated soon, and may be shown meanwhile.
        case refresh = 1
        /// It is to be validated before its next use.
        case validation = 2
    }

    /// The part of a representation that the body is.
    package struct Part: Hashable, Sendable {
        /// The position of its first byte.
        package var start: Int64
        /// The position behind its last byte.
        package var end: Int64
        /// The length of the whole representation; nil when it is not known.
        package var total: Int64?

        /// A part of these bounds.
        package init(start: Int64, end: Int64, total: Int64?) {
            self.start = start
            self.end = end
            self.total = total
        }
    }

    /// What it is kept under.
    package var key: String
    /// The method of the request it answers.
    package var method: String
    /// The target URI.
    package var url: String
    /// The status code.
    package var status: Int64
    /// The header fields, in their order.
    package var fields: [HeaderField]
    /// When the request was sent, in milliseconds since 1970-01-01 UTC.
    package var requestedAt: Int64
    /// When the head of the response came, likewise.
    package var receivedAt: Int64
    /// What selects it among the responses of its key.
    package var selecting: [SelectingField]
    /// The part that the body is; nil: all of it.
    package var part: Part?
    /// What was said about its use after it was stored.
    package var demand: Demand
    /// The number of the blob that is its body; also what tells this response from others of its key, for ever.
    package var blob: Int64
    /// The length of the body in bytes.
    package var byteCount: Int64
    /// Names by which it can be removed together with others: ascending bytewise, each once.
    package private(set) var tags: [String]
    /// Whether eviction leaves it alone.
    package var isPinned: Bool
    /// When it may be swept, in milliseconds since 1970-01-01 UTC; nil: when room is needed.
    package var sweepAt: Int64?
    /// When it was stored, likewise; a confirmation by the server does not change it.
    package var storedAt: Int64
    /// About when it was last used, likewise.
    package var lastUsedAt: Int64

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
        selecting = []
        demand = .none
        blob = 0
        byteCount = 0
        tags = []
        isPinned = false
        lastUsedAt = storedAt
    }

    /// Gives it these tags in place of those it has.
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
    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        key = try reader.text()
        method = try reader.text()
        url = try reader.text()
        status = try reader.count("status")
        fields = try Self.list(try reader.bytes()) { (list) throws(FormatError) in
            HeaderField(name: try list.text(), value: try list.bytes())
        }
        requestedAt = try reader.integer()
        receivedAt = try reader.integer()
        selecting = try Self.list(try reader.bytes()) { (list) throws(FormatError) in
            SelectingField(name: try list.text(), value: try list.optionalText())
        }
        part = try Self.part(&reader)
        demand = try reader.state("demand", as: Demand.self)
        blob = try reader.count("blob")
        byteCount = try reader.count("byteCount")
        tags = try Self.list(try reader.bytes()) { (list) throws(FormatError) in try list.text() }
        for (tag, next) in zip(tags, tags.dropFirst()) where !tag.precedesBytewise(next) {
            throw .notCanonical(offset: 0)
        }
        isPinned = try reader.bool()
        sweepAt = try reader.optionalInteger()
        storedAt = try reader.integer()
        lastUsedAt = try reader.integer()
    }

    private static func part(_ reader: inout TupleReader) throws(FormatError) -> Part? {
        let start = try reader.optionalCount("partStart")
        let end = try reader.optionalCount("partEnd")
        let total = try reader.optionalCount("partTotal")
        guard let start, let end else {
            if let value = start ?? end ?? total { throw .invalidValue(field: "part", value: value) }
            return nil
        }
        guard start <= end, end <= total ?? end else { throw .invalidValue(field: "partEnd", value: end) }
        return Part(start: start, end: end, total: total)
    }

    /// The members of a list: bytes that are a tuple of their own.
    private static func list<Member>(
        _ bytes: [UInt8], _ member: (inout TupleReader) throws(FormatError) -> Member
    ) throws(FormatError) -> [Member] {
        var members: [Member] = []
        var reader = TupleReader(bytes.rawSpan)
        while !reader.isAtEnd { members.append(try member(&reader)) }
        return members
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: key)
        writer.append(text: method)
        writer.append(text: url)
        writer.append(integer: status)
        writer.append(bytes: encodedFields())
        writer.append(integer: requestedAt)
        writer.append(integer: receivedAt)
        writer.append(bytes: encodedSelection())
        writer.append(optionalInteger: part?.start)
        writer.append(optionalInteger: part?.end)
        writer.append(optionalInteger: part?.total)
        writer.append(integer: demand.rawValue)
        writer.append(integer: blob)
        writer.append(integer: byteCount)
        var list = TupleWriter()
        for tag in tags { list.append(text: tag) }
        writer.append(bytes: list.bytes)
        writer.append(bool: isPinned)
        writer.append(optionalInteger: sweepAt)
        writer.append(integer: storedAt)
        writer.append(integer: lastUsedAt)
        return writer.bytes
    }

    private func encodedFields() -> [UInt8] {
        var list = TupleWriter()
        for field in fields {
            list.append(text: field.name)
            list.append(bytes: field.value)
        }
        return list.bytes
    }

    private func encodedSelection() -> [UInt8] {
        var list = TupleWriter()
        for field in selecting {
            list.append(text: field.name)
            list.append(optionalText: field.value)
        }
        return list.bytes
    }

    /// Confirms that every part of the record fits the format.
    ///
    /// - Throws: ``FormatError/textTooLong(actual:limit:)``, ``FormatError/keyTooLong(actual:limit:)``,
    ///   ``FormatError/payloadTooLarge(actual:limit:)``.
    package func checkLimits() throws(FormatError) {
        for text in [key, url] where text.utf8.count > Limits.cacheKey {
            throw .textTooLong(actual: text.utf8.count, limit: Limits.cacheKey)
        }
        for tag in tags { try Limits.check(tag: tag) }
        let size = encode().count
        if size > Limits.responseHead { throw .payloadTooLarge(actual: size, limit: Limits.responseHead) }
    }
}
