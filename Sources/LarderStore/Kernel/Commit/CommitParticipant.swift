internal import LarderEngine
internal import LarderFormat

/// An open file that a part is made from, with the options of its first open.
struct FileContext {
    let environment: Environment
    let host: HostServices
    /// The most bytes that may be stored after a commit; nil for any number.
    let sizeCap: Int64?
    /// The header fields that are never stored.
    let credentialFields: CredentialFields
}

/// The state of a file as its open saw it, while no other process could open it or begin anything in it.
struct OpeningState {
    /// Whether no other process had the store open.
    let isExclusive: Bool
    /// The counters at that time; everything numbered at or above them was begun later. Nil when they could not be
    /// read.
    let counters: CountersRecord?
    /// Whether the file had lost the table `garbage`, which was created again.
    let hasLostGarbage: Bool
}

/// The in-memory state of one layer for an open file, shared by all opens of the file in this process.
///
/// The kernel makes one instance of each registered type and finds it by its type; it names none of them.
protocol SharedPart: AnyObject, Sendable {
    /// Makes the part of a file that was just opened; other parts may not be there yet.
    init(_ file: FileContext)
}

/// A part that participates in commits.
///
/// The kernel calls the participants in the order in which they were registered, the lowest layer first.
protocol CommitParticipant: SharedPart {
    /// Completes a write transaction whose body has succeeded, before the counters are written.
    func complete(_ transaction: inout Transaction) throws
    /// Does the work that a commit has left, on the writer thread, after observers were notified.
    func didCommit(_ effects: CommitEffects, in shared: SharedState)
    /// Whether a transaction that has just failed may succeed when it runs again, without the data that the stage
    /// failed on.
    func canRunAgain() -> Bool
    /// Recovers the remains of other processes, once, at the first open for writing.
    func recover(_ store: Store, from look: OpeningState)
    /// Begins the work of an open for writing, after ``recover(_:from:)``.
    func begin(_ store: Store)
    /// Ends the work of an open that is about to close.
    func end(_ store: Store)
}

extension CommitParticipant {
    func complete(_ transaction: inout Transaction) throws {}
    func didCommit(_ effects: CommitEffects, in shared: SharedState) {}
    func canRunAgain() -> Bool { false }
    func recover(_ store: Store, from look: OpeningState) {}
    func begin(_ store: Store) {}
    func end(_ store: Store) {}
}

/// The state of one layer in a write transaction, from its first use until the participants have handled the commit.
protocol CommitState: AnyObject {
    init(_ shared: SharedState)
}

/// The states of the layers in one write transaction. There are few, so they are searched one by one.
final class CommitStates {
    private var states: [any CommitState] = []

    /// The state of a type, made at its first use.
    func state<State: CommitState>(_ type: State.Type, _ shared: SharedState) -> State {
        if let known = existing(type) { return known }
        let state = State(shared)
        states.append(state)
        return state
    }

    /// The state of a type, or nil where it was not used.
    func existing<State: CommitState>(_ type: State.Type) -> State? {
        for state in states { if let found = state as? State { return found } }
        return nil
    }
}
