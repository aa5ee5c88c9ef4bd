// Mutexed: a value that several threads may read and change.

import Synchronization

/// A value that several threads may read and change.
final class Mutexed<Value: Sendable>: Sendable {
    private let state = Mutex<Value?>(nil)

    var value: Value? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Changes the value, and gives the new one.
    func update(_ change: (Value?) -> Value) -> Value {
        state.withLock { value in
            let new = change(value)
            value = new
            return new
        }
    }
}
