internal import LarderEngine
internal import LarderFormat
internal import Logging
internal import Synchronization

/// A worker that completes, after an open, a replacement of the store's key that was not finished.
///
/// The stored keys show that there may be values to seal anew. A commit that fails ends the work until the next open.
final class Resealer: SharedPart {
    private let host: HostServices
    private let isRunning = Atomic(false)

    init(_ file: FileContext) { host = file.host }

    private func step(below target: UInt32, from start: ResealingPlace, in shared: SharedState) {
        do {
            let place = try shared.transact(durability: .relaxed, isBulk: true) { transaction in
                try transaction.resealSome(below: target, from: start, isTimeUp: shared.deadline())
            }
            if let place { return schedule(below: target, from: place, in: shared) }
            try shared.transact(durability: .full, isBulk: true) { try $0.removeKeys(below: target) }
        } catch {
            host.logger.warning("could not finish changing the store's key", metadata: ["error": "\(error)"])
        }
        isRunning.store(false, ordering: .relaxed)
    }

    private func schedule(below target: UInt32, from place: ResealingPlace, in shared: SharedState) {
        do throws(EngineError) {
            try shared.environment.onWriterInBackground { self.step(below: target, from: place, in: shared) }
        } catch {
            // The store is closing; the next open continues.
            isRunning.store(false, ordering: .relaxed)
        }
    }
}

extension Resealer: CommitParticipant {
    func begin(_ store: Store) {
        guard let target = store.shared.cipher?.rotationTarget else { return }
        if isRunning.exchange(true, ordering: .relaxed) { return }
        schedule(below: target, from: ResealingPlace(), in: store.shared)
    }
}
