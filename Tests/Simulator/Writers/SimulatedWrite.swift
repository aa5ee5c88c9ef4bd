internal import LarderFormat
internal import LarderStore

/// A write of a history: what it does, and what the server will say.
struct SimulatedWrite {
    /// What the server says in the end, drawn in advance.
    enum Fate: Hashable {
        case performed
        /// 422, remembered under the key.
        case refused
        /// 409: it holds something else.
        case conflict
    }

    let id: UUIDBytes
    let number: Int
    let change: ModelServer.WriteChange
    let resource: ModelServer.ResourceID
    let row: ModelServer.RowID
    let lane: String
    let entity: String?
    let after: [UUIDBytes]
    let fate: Fate
    /// Answers that ask for another try before the server says anything else.
    let stubbornness: Int
    /// Whether the server reports the sequence of the write.
    let isSequenceReported: Bool

    /// What tells its effect from that of every other write.
    var note: String { "w\(number)" }

    var method: String {
        switch change {
        case .put: "PUT"
        case .note: "PATCH"
        case .delete: "DELETE"
        }
    }

    var key: RowKey {
        RowKey(resource: ResourceKey(resource.group, resource.id), type: row.type, key: row.key)
    }

    var effect: RowEffect {
        switch change {
        case .put(let payload): RowEffect(.replacement(Array(payload.utf8)), at: key)
        case .note: RowEffect(.patch(Array("{\"note\":\"\(note)\"}".utf8)), at: key)
        case .delete: RowEffect(.removal, at: key)
        }
    }

    func draft(account: String, attempts: Int, at time: Int64) -> OutboxDraft {
        var draft = OutboxDraft(
            id: id, lane: lane, createdAt: time, mutationType: "edit", method: method, endpoint: "/\(note)",
            payload: Array("\"\(note)\"".utf8))
        draft.account = account
        draft.entity = entity
        draft.after = after
        draft.mostAttempts = attempts
        return draft
    }
}
