internal import LarderEngine

/// The right to send what a store's outbox holds, for as long as the value lives: nothing else has it meanwhile, in this
/// process or another.
package final class OutboxOwnership: Sendable {
    private let lock: OwnerLock

    fileprivate init(_ lock: OwnerLock) { self.lock = lock }
}

/// The process that sends the writes of a store's outbox.
public struct OutboxOwner: Hashable, Sendable {
    /// Its number, where it is known; it may be this process, with another outbox.
    public let processID: Int32?

    package init(processID: Int32?) { self.processID = processID }
}

extension Store {
    private static let outboxLock = "outbox.lock"

    /// Takes the right to send what the outbox holds; nil while something else has it.
    ///
    /// - Throws: ``EngineError``.
    package func ownOutbox() throws -> OutboxOwnership? {
        try checkWritable()
        return try OwnerLock.take(Self.outboxLock, in: path).map { OutboxOwnership($0) }
    }

    /// The owner of the right to send what the outbox holds; nil when there is none.
    package func outboxOwner() throws -> OutboxOwner? {
        switch try OwnerLock.holder(of: Self.outboxLock, in: path) {
        case .none: nil
        case .some(.process(let id)): OutboxOwner(processID: id)
        case .some(.unknown): OutboxOwner(processID: nil)
        }
    }
}
