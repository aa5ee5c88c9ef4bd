import Synchronization

/// Something that happens once or more often, which a task can wait for.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    func fire() {
        let due = state.withLock { state in
            state.count += 1
            let count = state.count
            let due = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return due.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    func wait(for count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
