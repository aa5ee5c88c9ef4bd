internal import LarderTransport
internal import Synchronization

/// The newest state of a network, for callers that cannot wait; it counts as online until it is known.
final class NetworkWatch: Sendable {
    private final class Latest: Sendable {
        let isOnline = Atomic(true)
        let action = Mutex<(@Sendable () -> Void)?>(nil)

        func update(isOnline isNow: Bool) {
            let wasOnline = isOnline.exchange(isNow, ordering: .relaxed)
            if isNow, !wasOnline { action.withLock { $0 }?() }
        }
    }

    private let latest = Latest()
    private let task: Task<Void, Never>

    init(_ source: any ConnectivitySource) {
        let states = source.states()
        task = Task { [latest] in
            for await state in states { latest.update(isOnline: state.level != .offline) }
        }
    }

    deinit { task.cancel() }

    var isOnline: Bool { latest.isOnline.load(ordering: .relaxed) }

    /// Sets the closure that is called from now on whenever the network becomes online again.
    func onReconnect(_ act: @escaping @Sendable () -> Void) { latest.action.withLock { $0 = act } }
}
