public import HTTPTypes
internal import LarderFormat
public import LarderHTTP
public import LarderOutbox
public import LarderStore

/// An outbox as the queue in which an ``ObjectCache``'s writes of persistent classes wait.
///
/// All of them stand in one lane, so that a write about one object never overtakes an earlier one about another; each is of
/// the entity that is its object, so that one that failed holds only what is about the same.
public struct OutboxWriteQueue: WriteQueue {
    /// The host's name of the kind of write.
    public static let mutationType = "object"

    private static let lane = Lane.named("objects")
    private static let laneText = lane.text(entity: nil)

    private let outbox: Outbox
    private let loadsAnswers: Bool
    private let contentType: String

    /// A queue over an outbox of the store that the objects are kept in.
    ///
    /// - Parameters:
    ///   - loadsAnswers: whether what the server makes of a write becomes the object: the answer's body, or else a GET. The
    ///     outbox's ``OutboxConfiguration/loading`` says what of a body that is.
    ///   - contentType: that of the bodies.
    public init(_ outbox: Outbox, loadsAnswers: Bool = true, contentType: String = "application/json") {
        self.outbox = outbox
        self.loadsAnswers = loadsAnswers
        self.contentType = contentType
    }

    /// The outbox's.
    public var keyField: HTTPField.Name { outbox.keyField }

    /// Enqueues the write under its own identity, as JSON unless the queue says otherwise.
    ///
    /// - Throws: as ``Outbox/enqueue(_:)``.
    public func enqueue(_ write: QueuedWrite, effects: [RowEffect]) async throws {
        let isEmpty = write.payload.isEmpty
        let sent = OutboxWrite(
            Self.mutationType, write.method, write.path, body: isEmpty ? .none : .bytes(write.payload),
            fields: isEmpty ? [:] : [.contentType: contentType], entity: write.object.description, lane: Self.lane,
            effects: effects, loadsAnswer: loadsAnswers && write.method != .delete)
        let prepared = try outbox.prepare(sent, id: write.id, triedAt: write.isInDoubt ? write.createdAt : nil)
        try await outbox.store.write { transaction in _ = try transaction.enqueue(prepared) }
    }

    /// Whether any of the writes waits, or is parked.
    ///
    /// - Throws: what the store throws.
    public func hasWaiting() throws -> Bool {
        try outbox.store.read { view in
            try view.outboxEntries(lane: Self.laneText).contains { $0.delivery.state != .rejected }
        }
    }
}

extension OutboxConfiguration {
    /// This configuration for the writes of an ``ObjectCache``: what of an answer becomes the object is as `service` reads
    /// it.
    public func loadingObjects(of service: any ObjectService) -> OutboxConfiguration {
        var configuration = self
        let other = loading
        configuration.loading = AnswerLoading { entry, body in
            guard entry.mutationType == OutboxWriteQueue.mutationType,
                let name = entry.rows.first.flatMap(ObjectName.init)
            else { return other.row(entry, body) }
            // An answer that says something else than the object is none.
            guard let found = try? service.objects(in: body, answering: .object(name)), found.count == 1,
                found[0].id == name.id
            else { return nil }
            return AnswerLoading.LoadedRow(
                payload: found[0].payload, codec: service.codec, updatedAt: found[0].updatedAt)
        }
        return configuration
    }
}
