internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension Outbox {
    /// The numbers of entries in the outbox by state, and the reasons why they are not sent.
    ///
    /// - Complexity: O(entries).
    public var status: OutboxStatus {
        let reading = clockReading()
        let running = state.withLock { state -> OutboxStatus? in
            // Until the table is read, the machine knows no entries.
            guard let loop = state.loop, loop.version != nil else { return nil }
            return loop.machine.status(at: reading)
        }
        return running ?? statusAtRest(reading)
    }

    /// Returns the status now, and again whenever it changes, until the reader ends. A slow reader gets the newest.
    ///
    /// Entries enqueued while the outbox does not run are reported when it runs, or when something else changes.
    public func statuses() -> AsyncStream<OutboxStatus> {
        publish()
        return statusBroadcast.states()
    }

    /// Returns the status while the outbox does not run.
    private func statusAtRest(_ reading: ClockReading) -> OutboxStatus {
        var machine = DeliveryMachine(policy: policy, authentication: state.withLock { $0.authentication }, seed: 0)
        let owner = otherOwner
        machine.isOwner = owner == nil
        // A store that cannot be read has no status; an enqueue or a run throws the error.
        let entries = (try? store.read { view in try view.readableOutboxHeads().entries.map { LaneEntry($0) } }) ?? []
        machine.applyTableChanges(TableChanges(entries, changed: nil), at: reading)
        var status = machine.status(at: reading)
        status.isRunning = false
        status.deliverer = owner
        if status.unsent > 0 {
            status.pauses = [owner.map { .deliveredElsewhere($0) } ?? mismatch.map { .otherServer($0) } ?? .notRunning]
        }
        if state.withLock({ $0.isStartBlocked }) { status.pauses = [.storage] }
        return status
    }

    /// The mismatch, where the writes are for another server.
    private var mismatch: ServerMismatch? {
        do {
            try store.read { view in try view.checkServer(configuration.server, of: .outbox) }
        } catch let error as ServerMismatch {
            return error
        } catch {
            // A store that cannot be read reports its error elsewhere.
        }
        return nil
    }

    func publish() { statusBroadcast.update { status } }
}
