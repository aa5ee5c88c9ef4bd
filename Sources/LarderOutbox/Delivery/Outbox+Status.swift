internal import CoreMetrics
internal import LarderFormat
internal import LarderStore
internal import LarderTransport
internal import Synchronization

extension Outbox {
    /// The numbers of entries in the outbox by state, and the reasons why they are not sent.
    ///
    /// Includes every write whose ``enqueue(_:)`` has returned. Blocks while the entries are read that have changed since
    /// the last step of the delivery.
    ///
    /// - Complexity: O(entries).
    public var status: OutboxStatus {
        let reading = clockReading()
        guard let (known, version) = loopState else { return statusAtRest(reading) }
        var machine = known
        // The loop reads a commit some time after it.
        if let update = try? store.read({ view in try view.outboxUpdate(since: version) }) {
            let entries = update.entries.map { LaneEntry($0) }
            machine.applyTableChanges(TableChanges(entries, changed: update.changed), at: reading)
        }
        return machine.status(at: reading)
    }

    /// Returns the status, and again whenever it changes, until the reader ends. A slow reader gets the newest.
    ///
    /// A write is in it soon after its ``enqueue(_:)``. Entries enqueued while the outbox does not run are reported when
    /// it runs, or when something else changes.
    public func statuses() -> AsyncStream<OutboxStatus> {
        publish()
        return statusBroadcast.states()
    }

    /// Publishes the status of the loop's machine.
    func publish() {
        let reading = clockReading()
        statusBroadcast.update {
            let status = loopState?.machine.status(at: reading) ?? statusAtRest(reading)
            Gauge(label: "larder_outbox_unsent", factory: store.host.metrics).record(status.unsent)
            return status
        }
    }

    /// The machine of the loop, and the version of the table that it knows; nil until it has read the table.
    private var loopState: (machine: DeliveryMachine, version: OutboxVersion)? {
        state.withLock { state in
            guard let loop = state.loop, let version = loop.version else { return nil }
            return (loop.machine, version)
        }
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
}
