internal import LarderTransport
internal import Synchronization

/// The newest state of a network, for callers that cannot wait; it counts as online until it is known.
final class NetworkWatch: Sendable {
    private final class Newest: Sendable {
        let isOnline = Atomic(true)
        let act = Mutex<(@Sendable () -> Void)?>(nil)

        func note(isOnline isNow: Bool) {
            let wasOnline = isOnline.exchange(isNow, ordering: .relaxed)
            if isNow, !wasOnline { act.withLock { $0 }?() }
        }
    }

    private let newest = Newest()
    private let task: Task<Void, Never>

    init(_ source: any ConnectivitySource) {
        let states = source.states()
        task = Task { [newest] in
            for await state in states { newest.note(isOnline: state.level != .offline) }
        }
    }

    deinit { task.cancel() }

    var isOnline: Bool { newest.isOnline.load(ordering: .relaxed) }

    /// Sets the closure that is called from now on whenever the network becomes online again.
    func whenBack(_ act: @escaping @Sendable () -> Void) { newest.act.withLock { $0 = act } }
}
