internal import HTTPTypes
public import LarderFormat
internal import LarderStore
internal import LarderTransport

extension Outbox {
    /// Sends the side that lost in a conflict after all: as a write of its own, under its own key, at the lane's end.
    ///
    /// Where the server's version was kept, that is the write as it was, on the condition that the server's version has
    /// not changed. Where the write was kept, or a merge, it is the server's version, put back at the write's endpoint.
    /// A second call returns the entry of the first while that is unfinished.
    ///
    /// - Parameter conflict: of `ReadView.conflicts()`.
    /// - Throws: ``OutboxError/cannotUndo(_:_:)`` with the reason; otherwise as ``enqueue(_:)``.
    @discardableResult
    public func undo(_ conflict: ResolvedConflict) async throws -> Enqueued {
        var write = OutboxWrite(conflict.mutationType, .post, conflict.endpoint, entity: conflict.entity)
        let shown: [UInt8]?
        if conflict.successor == nil {
            guard let method = HTTPRequest.Method(conflict.method) else { throw cannotUndo(conflict, .notStored) }
            write.method = method
            if case .omitted = conflict.local { throw cannotUndo(conflict, .notStored) }
            write.body = conflict.local.payload.map { .bytes($0) } ?? .none
            if conflict.row != nil, case .omitted = conflict.shown { throw cannotUndo(conflict, .notStored) }
            shown = conflict.shown.payload
            if let tag = conflict.entityTag, !tag.hasPrefix("W/") { write.fields[.ifMatch] = tag }
        } else {
            guard let payload = conflict.remote.payload else { throw cannotUndo(conflict, .notStored) }
            guard conflict.method.uppercased() != "POST" else { throw cannotUndo(conflict, .noEndpoint) }
            write.method = .put
            write.body = .bytes(payload)
            shown = payload
        }
        if let type = conflict.contentType { write.fields[.contentType] = type }
        if let row = conflict.row {
            write.effects = [.init(shown.map { .replacement($0) } ?? .removal, at: row)]
        }
        write.deduplicationKey = "undo \(conflict.entryID)"
        var prepared = try prepare(write)
        guard AuthenticationState.signedIn(conflict.account).allows(prepared.draft.account) else {
            throw cannotUndo(conflict, .otherAccount)
        }
        prepared.draft.lane = conflict.lane
        let undone = prepared
        return try await store.write { transaction in try transaction.enqueue(undone) }
    }

    private func cannotUndo(_ conflict: ResolvedConflict, _ reason: UndoBlockedReason) -> OutboxError {
        .cannotUndo(conflict.entryID, reason)
    }
}
