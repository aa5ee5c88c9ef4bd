internal import HTTPTypes
package import LarderFormat

// The conversion between a response and its record: FORMAT.md, "responses".

extension StoredResponse {
    /// Creates the response of a record; nil when the record holds values that no HTTP message has.
    package init?(_ record: ResponseRecord) {
        guard let method = HTTPRequest.Method(record.method), (100...999).contains(record.status) else { return nil }
        var list: [HTTPField] = []
        list.reserveCapacity(record.fields.count)
        for field in record.fields {
            guard let name = HTTPField.Name(field.name) else { return nil }
            list.append(HTTPField(name: name, lenientValue: field.value))
        }
        var fields = HTTPFields()
        fields.reserveCapacity(list.count)
        fields.insert(contentsOf: list, at: 0)
        self.init(
            method: method, url: record.url, status: HTTPResponse.Status(code: Int(record.status)), fields: fields,
            requestedAt: record.requestedAt, receivedAt: record.receivedAt,
            selecting: record.selecting,
            coverage: record.part.map { .part($0.start..<$0.end, total: $0.total) } ?? .whole,
            isInvalidated: record.demand == .validation, isRefreshDue: record.demand == .refresh)
    }
}

extension ResponseRecord {
    /// Creates the record of a response that is stored under `key`; its body follows.
    ///
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    init(_ response: StoredResponse, key: String, options: StorageOptions, now: Int64) {
        self.init(
            key: key, method: response.method.rawValue, url: response.url, status: Int64(response.status.code),
            fields: response.fields.map { HeaderField(name: $0.name.rawName, value: $0.bytes) },
            requestedAt: response.requestedAt, receivedAt: response.receivedAt, storedAt: now)
        selecting = response.selecting
        part = Part(response.coverage)
        demand = Demand(response)
        setTags(options.tags)
        isPinned = options.isPinned
    }

    /// Adds tags, and pins it where the options say so.
    mutating func add(_ options: StorageOptions) {
        setTags(tags + options.tags)
        isPinned = isPinned || options.isPinned
    }

    /// Adopts the changes of a confirmation by the server, or of an invalidation. Key and body stay.
    mutating func refresh(with response: StoredResponse) {
        // A changed `Vary` selects by other fields.
        selecting = response.selecting
        status = Int64(response.status.code)
        fields = response.fields.map { HeaderField(name: $0.name.rawName, value: $0.bytes) }
        requestedAt = response.requestedAt
        receivedAt = response.receivedAt
        part = Part(response.coverage)
        demand = Demand(response)
    }
}

extension ResponseRecord.Demand {
    init(_ response: StoredResponse) {
        self = response.isInvalidated ? .validation : response.isRefreshDue ? .refresh : .none
    }
}

extension ResponseRecord.Part {
    init?(_ coverage: StoredResponse.Coverage) {
        guard case .part(let range, let total) = coverage else { return nil }
        self.init(start: range.lowerBound, end: range.upperBound, total: total)
    }
}
