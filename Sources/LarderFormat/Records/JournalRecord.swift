/// A record of `journal`: one thing that happened.
///
/// FORMAT.md, "journal". Key: (sequence). The newest ``Limits/journalRecords`` are kept.
package struct JournalRecord: NumberedRecord, Hashable, Sendable {
    /// When it happened, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 = 0
    /// What happened.
    package var event = Event.other(kind: "", elements: [])

    /// What happened, by kind.
    package enum Event: Hashable, Sendable {
        /// Kind `outcome`: an entry left the outbox.
        case outcome(OutboxOutcome)
        /// Kinds `evicted` and `evicted-collections`: stored content was dropped.
        case evicted(Evicted)
        /// Kind `conflict`: the server held something else than an entry was made from.
        case conflict(SettledConflict)
        /// A kind that this version does not know, with its elements as they are.
        case other(kind: String, elements: [TupleElement])
    }

    /// What was dropped, and why.
    package struct Evicted: Hashable, Sendable {
        /// The resource; nil for responses and collections.
        package var resource: ResourceKey?
        /// Whether it was collections, which have a kind of their own.
        package var isOfCollections: Bool
        /// How many there were: 1 for a resource.
        package var count: Int64
        /// The bytes of their keys and values.
        package var bytes: Int64
        /// One word: why.
        package var reason: String

        /// Makes an eviction of a resource, of responses where `resource` is nil, or of collections.
        package init(
            resource: ResourceKey? = nil, isOfCollections: Bool = false, count: Int64 = 0, bytes: Int64 = 0,
            reason: String = ""
        ) {
            self.resource = resource
            self.isOfCollections = isOfCollections
            self.count = count
            self.bytes = bytes
            self.reason = reason
        }
    }

    package init() {}

    /// Makes a record.
    package init(time: Int64, event: Event) {
        self.time = time
        self.event = event
    }

    /// The kind, as it is stored.
    package var kind: String { event.kind }

    package mutating func codeFields(_ coder: inout FieldCoder) {
        var kind = kind
        coder.text(&kind)
        coder.integer(&time)
        if coder.isReading { event = Event(kind: kind) }
        switch event {
        case .outcome(var outcome):
            outcome.time = time
            outcome.codeFields(&coder)
            event = .outcome(outcome)
        case .evicted(var evicted):
            evicted.codeFields(&coder)
            event = .evicted(evicted)
        case .conflict(var conflict):
            conflict.time = time
            conflict.codeFields(&coder)
            event = .conflict(conflict)
        case .other(_, var elements):
            coder.rest(&elements)
            event = .other(kind: kind, elements: elements)
        }
    }
}

extension JournalRecord.Event {
    fileprivate var kind: String {
        switch self {
        case .outcome: "outcome"
        case .evicted(let evicted): evicted.isOfCollections ? "evicted-collections" : "evicted"
        case .conflict: "conflict"
        case .other(let kind, _): kind
        }
    }

    /// An event of a kind, to read into.
    fileprivate init(kind: String) {
        let known: [Self] = [
            .outcome(OutboxOutcome()), .evicted(.init()), .evicted(.init(isOfCollections: true)),
            .conflict(SettledConflict()),
        ]
        self = known.first { $0.kind.equalsBytewise(kind) } ?? .other(kind: kind, elements: [])
    }
}

extension JournalRecord.Evicted {
    private static let resourceWord = "resource"
    private static let responsesWord = "responses"

    fileprivate mutating func codeFields(_ coder: inout FieldCoder) {
        if !isOfCollections {
            var what = resource == nil ? Self.responsesWord : Self.resourceWord
            var (group, id) = (resource?.group, resource?.id)
            coder.text(&what)
            coder.text(&group)
            coder.integer(&id)
            if what.equalsBytewise(Self.resourceWord), let group, let id {
                resource = ResourceKey(group, id)
            } else {
                let isOfResponses = what.equalsBytewise(Self.responsesWord) && group == nil && id == nil
                coder.require(isOfResponses, "evicted", id ?? 0)
            }
        }
        coder.count("count", &count)
        coder.count("bytes", &bytes)
        coder.text(&reason)
    }
}
