/// A record of `journal`: one thing that happened.
///
/// FORMAT.md, "journal". Key: (sequence). The newest ``Limits/journalRecords`` are kept.
package struct JournalRecord: Hashable, Sendable {
    /// When it happened, in milliseconds since 1970-01-01 UTC.
    package var time: Int64
    /// What happened.
    package var event: Event

    /// What happened, by kind.
    package enum Event: Hashable, Sendable {
        /// Kind `outcome`: an entry left the outbox.
        case outcome(Outcome)
        /// Kinds `evicted` and `evicted-collections`: stored content was dropped.
        case evicted(Evicted)
        /// Kind `conflict`: the server held something else than an entry was made from.
        case conflict(SettledConflict)
        /// A kind that this version does not know, with its elements as they are.
        case other(kind: String, elements: [TupleElement])
    }

    /// How an entry left the outbox.
    package struct Outcome: Hashable, Sendable {
        /// The entry.
        package var entryID: UUIDBytes
        /// The lane it was in.
        package var lane: String
        /// Its sequence.
        package var sequence: Int64
        /// One word: how it ended.
        package var outcome: String
        /// More about it, for people.
        package var detail: String?

        /// Makes an outcome.
        package init(entryID: UUIDBytes, lane: String, sequence: Int64, outcome: String, detail: String? = nil) {
            self.entryID = entryID
            self.lane = lane
            self.sequence = sequence
            self.outcome = outcome
            self.detail = detail
        }
    }

    /// What was dropped, and why.
    package struct Evicted: Hashable, Sendable {
        /// The resource; nil for responses and collections.
        package var resource: ResourceKey?
        /// Whether it was collections, which have a kind of their own.
        package var isOfCollections = false
        /// How many there were: 1 for a resource.
        package var count: Int64
        /// The bytes of their keys and values.
        package var bytes: Int64
        /// One word: why.
        package var reason: String

        /// Makes an eviction of a resource, or of responses where `resource` is nil.
        package init(resource: ResourceKey?, count: Int64, bytes: Int64, reason: String) {
            self.resource = resource
            self.count = count
            self.bytes = bytes
            self.reason = reason
        }

        /// Makes an eviction of so many collections.
        package init(collections count: Int64, bytes: Int64, reason: String) {
            self.init(resource: nil, count: count, bytes: bytes, reason: reason)
            isOfCollections = true
        }
    }

    private static let outcomeKind = "outcome"
    private static let evictedKind = "evicted"
    private static let evictedCollectionsKind = "evicted-collections"
    private static let conflictKind = "conflict"

    /// Makes a record.
    package init(time: Int64, event: Event) {
        self.time = time
        self.event = event
    }

    /// The kind, as it is stored.
    package var kind: String {
        switch event {
        case .outcome: Self.outcomeKind
        case .evicted(let evicted): evicted.isOfCollections ? Self.evictedCollectionsKind : Self.evictedKind
        case .conflict: Self.conflictKind
        case .other(let kind, _): kind
        }
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        let kind = try reader.text()
        time = try reader.integer()
        if kind.equalsBytewise(Self.outcomeKind) {
            let entryID = try reader.uuid()
            let lane = try reader.text()
            let sequence = try reader.count("sequence")
            let outcome = try reader.text()
            let detail = try reader.optionalText()
            event = .outcome(
                Outcome(entryID: entryID, lane: lane, sequence: sequence, outcome: outcome, detail: detail))
        } else if kind.equalsBytewise(Self.evictedKind) {
            event = .evicted(try Evicted(reading: &reader))
        } else if kind.equalsBytewise(Self.evictedCollectionsKind) {
            event = .evicted(try Evicted(readingCollections: &reader))
        } else if kind.equalsBytewise(Self.conflictKind) {
            event = .conflict(try SettledConflict(time: time, reading: &reader))
        } else {
            var elements: [TupleElement] = []
            while !reader.isAtEnd { elements.append(try reader.element()) }
            event = .other(kind: kind, elements: elements)
        }
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: kind)
        writer.append(integer: time)
        switch event {
        case .outcome(let outcome):
            writer.append(uuid: outcome.entryID)
            writer.append(text: outcome.lane)
            writer.append(integer: outcome.sequence)
            writer.append(text: outcome.outcome)
            writer.append(optionalText: outcome.detail)
        case .evicted(let evicted):
            evicted.append(to: &writer)
        case .conflict(let conflict):
            conflict.append(to: &writer)
        case .other(_, let elements):
            for element in elements { writer.append(element: element) }
        }
        return writer.bytes
    }

    /// Appends the key of a record.
    package static func appendKey(_ sequence: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: sequence)
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> Int64 {
        var reader = TupleReader(key)
        let sequence = try reader.integer()
        try reader.end()
        return sequence
    }
}

extension JournalRecord.Evicted {
    private static let resourceWord = "resource"
    private static let responsesWord = "responses"

    fileprivate init(reading reader: inout TupleReader) throws(FormatError) {
        let what = try reader.text()
        let group = try reader.optionalText()
        let id = try reader.optionalInteger()
        if what.equalsBytewise(Self.resourceWord), let group, let id {
            resource = ResourceKey(group, id)
        } else if what.equalsBytewise(Self.responsesWord), group == nil, id == nil {
            resource = nil
        } else {
            throw .invalidValue(field: "evicted", value: id ?? 0)
        }
        count = try reader.count("count")
        bytes = try reader.count("bytes")
        reason = try reader.text()
    }

    fileprivate init(readingCollections reader: inout TupleReader) throws(FormatError) {
        let count = try reader.count("count")
        let bytes = try reader.count("bytes")
        self.init(collections: count, bytes: bytes, reason: try reader.text())
    }

    fileprivate func append(to writer: inout TupleWriter) {
        if !isOfCollections {
            writer.append(text: resource == nil ? Self.responsesWord : Self.resourceWord)
            writer.append(optionalText: resource?.group)
            writer.append(optionalInteger: resource?.id)
        }
        writer.append(integer: count)
        writer.append(integer: bytes)
        writer.append(text: reason)
    }
}
