/// A record of `journal`: one event.
///
/// FORMAT.md, "journal". Key: (sequence). The newest ``Limits/journalRecords`` are kept.
package struct JournalRecord: NumberedRecord, Hashable, Sendable {
    /// When it happened, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 = 0
    /// The event.
    package var event = Event.other(kind: "", elements: [])

    /// An event, by kind.
    package enum Event: Hashable, Sendable {
        /// Kind `outcome`: an entry left the outbox or was rejected.
        case outcome(OutboxOutcome)
        /// Kinds `evicted` and `evicted-collections`: stored content was dropped.
        case evicted(Eviction)
        /// Kind `conflict`: the server's row differed from the one that an entry was made from.
        case conflict(ResolvedConflict)
        /// A kind that this version does not know, with its elements as they are.
        case other(kind: String, elements: [TupleElement])
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
        case .evicted(var eviction):
            eviction.time = time
            eviction.codeFields(&coder)
            event = .evicted(eviction)
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
        case .evicted(let eviction): eviction.kind
        case .conflict: "conflict"
        case .other(let kind, _): kind
        }
    }

    /// Creates an empty event of a kind, to read into.
    fileprivate init(kind: String) {
        let known: [Self] = [
            .outcome(OutboxOutcome()), .evicted(Eviction(.responses(0))), .evicted(Eviction(.collections(0))),
            .conflict(ResolvedConflict()),
        ]
        self = known.first { $0.kind.equalsBytewise(kind) } ?? .other(kind: kind, elements: [])
    }
}
