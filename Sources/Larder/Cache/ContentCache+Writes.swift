internal import HTTPTypes
public import LarderFormat
public import LarderOutbox
internal import LarderStore

extension ContentCache {
    /// Writes a row: it is shown at once, and sent to the server as JSON with PUT.
    ///
    /// The write is durable when the call returns, whether or not there is a network. It is sent while ``run()`` runs,
    /// once, in the order of the row's writes. A later `put` of the row to the same endpoint replaces one whose
    /// sending has not begun. When the server refuses it, the row is shown as it was before.
    ///
    /// The entity of the write is `GROUP/ID/TYPE/KEY`, such as `notes/1/note/9`: an `OutboxWrite` of the app's own with
    /// this entity is sent in its turn.
    ///
    /// ```swift
    /// let sent = try await cache.put(Note(id: "9", text: "buy bread"), to: "/notes/9")
    /// print(try await sent.outcome)  // accepted
    /// ```
    ///
    /// - Parameters:
    ///   - row: The row, in place of the one with its id.
    ///   - endpoint: The path and query that are appended to the address of the server for writes; begins with `/`.
    ///   - resource: The resource of the row; nil where the schema names the only one.
    /// - Throws: ``RowError/unencodable(_:reason:)``; as `Outbox.enqueue(_:)`. Nothing is stored then.
    /// - Precondition: The cache was opened with a server for writes.
    @discardableResult
    public func put<Row: LocalRow>(
        _ row: Row, to endpoint: String, in resource: ResourceKey? = nil
    ) async throws -> PendingWrite {
        try await write(row, .put, endpoint, resource, coalescing: .replaces)
    }

    /// Creates a row: it is shown at once, and sent to the server as JSON with POST. It is never merged with
    /// other writes. Otherwise as ``put(_:to:in:)``.
    ///
    /// The row has the id that the app gives it: the server has to keep that, or to send the row under its own id.
    ///
    /// - Throws: As ``put(_:to:in:)``.
    @discardableResult
    public func post<Row: LocalRow>(
        _ row: Row, to endpoint: String, in resource: ResourceKey? = nil
    ) async throws -> PendingWrite {
        try await write(row, .post, endpoint, resource, coalescing: nil)
    }

    /// Deletes a row: it is no longer shown, and the server gets a DELETE. Otherwise as ``put(_:to:in:)``.
    ///
    /// - Throws: As `Outbox.enqueue(_:)`.
    @discardableResult
    public func delete<Row: LocalRow>(
        _ row: Row, from endpoint: String, in resource: ResourceKey? = nil
    ) async throws -> PendingWrite {
        let key = Row.key(row.id, in: resource)
        return try await enqueue(
            OutboxWrite(
                "\(key.type).delete", .delete, endpoint, entity: Self.entity(key),
                effects: [RowEffect(.removal, at: key)]))
    }

    /// Whether the server lacks a local write of a row: it waits, is being sent, failed, or was refused with its effect
    /// still shown. Also true where that cannot be read.
    public func isPending<Row: LocalRow>(_ row: Row, in resource: ResourceKey? = nil) -> Bool {
        let key = Row.key(row.id, in: resource)
        return (try? store.read { view in try view.overlays(at: key).contains { !$0.isConfirmed } }) ?? true
    }

    private func write<Row: LocalRow>(
        _ row: Row, _ method: HTTPRequest.Method, _ endpoint: String, _ resource: ResourceKey?, coalescing: Coalescing?
    ) async throws -> PendingWrite {
        let key = Row.key(row.id, in: resource)
        let payload: [UInt8]
        do {
            payload = try row.payload()
        } catch {
            throw RowError.unencodable(key, reason: "\(error).")
        }
        return try await enqueue(
            OutboxWrite(
                "\(key.type).\(method.rawValue.lowercased())", method, endpoint, body: .bytes(payload),
                entity: Self.entity(key), effects: [RowEffect(.replacement(payload), at: key)], coalescing: coalescing))
    }

    private func enqueue(_ write: OutboxWrite) async throws -> PendingWrite {
        guard let outbox else { preconditionFailure("the cache was opened without a server for writes") }
        return PendingWrite(id: try await outbox.enqueue(write).id, outbox: outbox)
    }

    /// The entity of the writes of a row: those of one row are sent in their order.
    private static func entity(_ key: RowKey) -> String { "\(key.resource)/\(key.type)/\(key.key)" }
}

/// A write that is stored and sent to the server by ``ContentCache/run()``.
///
/// ```swift
/// let sent = try await cache.put(note, to: "/notes/9")  // durable, and shown at once
/// switch try await sent.outcome {  // waits for the server
/// case .accepted: print("saved on the server")
/// case .rejected(let reason): print("not saved:", reason)  // the row is shown as it was before
/// case .removed(let word): print("discarded:", word)  // such as: dropped
/// }
/// ```
public struct PendingWrite: Sendable {
    /// The identity of the write, and its idempotency key.
    public let id: UUIDBytes
    let outbox: Outbox

    /// The final outcome; waits for it, without a time limit, also when nothing runs.
    ///
    /// - Throws: As `Outbox.outcome(of:)`; `CancellationError`.
    public var outcome: OutboxResult {
        get async throws { try await outbox.outcome(of: id) }
    }
}
