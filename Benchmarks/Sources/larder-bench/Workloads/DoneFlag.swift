// DoneFlag: set once, from another task.

import Synchronization

/// Set once, from another task.
final class DoneFlag: Sendable {
    private let state = Atomic(false)

    var isSet: Bool { state.load(ordering: .acquiring) }

    func set() { state.store(true, ordering: .releasing) }
}
