internal import LarderEngine

/// The right to send the entries of a store's outbox, for as long as the value lives. It is exclusive, in this process
/// and among all others.
package final class OutboxOwnership: Sendable {
    private let lock: OwnerLock

    fileprivate init(_ lock: OwnerLock) { self.lock = lock }
}

/// The process that sends the writes of a store's outbox.
public struct OutboxOwner: Hashable, Sendable {
    /// The number of the process, where it is known; it may be this process, with another outbox.
    public let processID: Int32?

    package init(processID: Int32?) { self.processID = processID }
}

extension Store {
    static let outboxLock = "outbox.lock"

    /// Whether an outbox of this process has the right to send.
    var ownsOutbox: Bool {
        get throws(EngineError) { try OwnerLock.holder(of: Self.outboxLock, in: path)?.isThisProcess == true }
    }

    /// Acquires the right to send the entries of the outbox; returns nil while another owner has it.
    ///
    /// - Throws: ``EngineError``; ``StoreError/readOnlyFormat`` when a newer version has changed the file.
    package func acquireOutboxOwnership() throws -> OutboxOwnership? {
        try checkWritable()
        return try OwnerLock.acquire(Self.outboxLock, in: path).map { OutboxOwnership($0) }
    }

    /// Returns the owner of the right to send the outbox; nil when there is none.
    ///
    /// - Throws: ``EngineError``.
    package func outboxOwner() throws -> OutboxOwner? {
        switch try OwnerLock.holder(of: Self.outboxLock, in: path) {
        case .none: nil
        case .some(.process(let id)): OutboxOwner(processID: id)
        case .some(.unknown): OutboxOwner(processID: nil)
        }
    }
}
