// SimulatedWrite: a write of a history: what it does, and what the server will say.

internal import LarderFormat
internal import LarderStore

/// A write of a history: what it does, and what the server will say.
struct SimulatedWrite {
    /// What the server says in the end, drawn in advance.
    enum PlannedOutcome: Hashable {
        case performed
        /// 422, remembered under the key.
        case refused
        /// 409: it holds something else.
        case conflict
    }

    private(set) var id: UUIDBytes
    let number: Int
    /// The change it makes now, and the note that distinguishes it from any other write; an edit replaces both.
    private(set) var change: ModelServer.WriteChange
    private(set) var note: String
    let resource: ModelServer.ResourceID
    let row: ModelServer.RowID
    let lane: String
    let entity: String?
    let after: [UUIDBytes]
    private(set) var fate: PlannedOutcome
    /// Answers that ask for another try before the server says anything else.
    let refusalCount: Int
    /// Whether the server reports the sequence of the write.
    let isSequenceReported: Bool

    var method: String {
        switch change {
        case .put: "PUT"
        case .setNote: "PATCH"
        case .delete: "DELETE"
        }
    }

    var key: RowKey {
        RowKey(resource: ResourceKey(resource.group, resource.id), type: row.type, key: row.key)
    }

    var effect: RowEffect {
        switch change {
        case .put(let payload): RowEffect(.replacement(Array(payload.utf8)), at: key)
        case .setNote: RowEffect(.patch(body), at: key)
        case .delete: RowEffect(.removal, at: key)
        }
    }

    /// What it sends: a merge patch, so that one can be merged into another.
    var body: [UInt8] { Array("{\"note\":\"\(note)\"}".utf8) }

    /// Where it goes: what it is about.
    var endpoint: String { "/\(resource)/\(row.type)/\(row.key)" }

    /// Does from now on what `newer` does.
    mutating func amend(with newer: SimulatedWrite) { (change, note) = (newer.change, newer.note) }

    /// The same write, sent again under another identity after a conflict.
    func successor(_ id: UUIDBytes) -> SimulatedWrite {
        var successor = self
        successor.id = id
        successor.fate = .performed
        return successor
    }

    /// Does the same from now on with another text.
    mutating func amend(note text: String) {
        switch change {
        case .put: change = .put(ModelServer.payload(of: row, in: resource.group, note: text))
        case .setNote: change = .setNote(text)
        case .delete: return
        }
        note = text
    }

    func draft(account: String, attempts: Int, at time: Int64) -> OutboxDraft {
        var draft = OutboxDraft(
            id: id, lane: lane, createdAt: time, mutationType: "edit", method: method, endpoint: endpoint,
            payload: body)
        draft.account = account
        draft.entity = entity
        draft.after = after
        draft.mostAttempts = attempts
        return draft
    }
}
