// Pause: a task's wait in virtual time.

internal import LarderTransport

/// A wait of a task for a point in virtual time; the first event that ends it counts.
final class Pause: @unchecked Sendable {
    // Sendable: touched on the thread of the history only.
    fileprivate var continuation: CheckedContinuation<Void, any Error>?
    fileprivate var entry = 0
    let owner: EventQueue.Owner

    fileprivate init(_ owner: EventQueue.Owner) { self.owner = owner }
}

extension Simulator {
    /// Suspends the calling task until a point in time; throws when it is cancelled, or the process is killed, before.
    func pause(
        until time: Int64, _ owner: EventQueue.Owner, _ label: String, _ life: SimulatedProcess.Launch
    ) async throws {
        if life.isOver { throw CancellationError() }
        let pause = Pause(owner)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                pause.continuation = continuation
                pause.entry = agenda.add(at: max(now, time), owner, label) { [unowned self] in end(pause) }
                pauses[pause.entry] = pause
            }
        } onCancel: {
            end(pause, throwing: CancellationError())
        }
    }

    private func end(_ pause: Pause, throwing error: (any Error)? = nil) {
        guard let continuation = pause.continuation.take() else { return }
        agenda.remove(pause.entry)
        pauses[pause.entry] = nil
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }

    /// Ends waits before their time, in the order in which they began.
    func endPauses(throwing error: any Error, where isEnded: (EventQueue.Owner) -> Bool) {
        for number in pauses.keys.sorted() {
            if let pause = pauses[number], isEnded(pause.owner) { end(pause, throwing: error) }
        }
    }
}
