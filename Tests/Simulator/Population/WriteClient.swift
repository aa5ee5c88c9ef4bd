// WriteClient: a client that sends writes, by the machine of the outbox.

internal import LarderFormat
package import LarderOutbox
internal import LarderStore
package import LarderTransport

/// A client with an outbox, whose table is held in memory; each write is one request.
package struct WriteClient: PopulationClient {
    private var machine: DeliveryMachine
    private var table: [UUIDBytes: LaneEntry] = [:]
    private var lastSequence: Int64 = 0

    /// A client without writes.
    package init(policy: OutboxPolicy = OutboxPolicy(), seed: UInt64) {
        machine = DeliveryMachine(policy: policy, seed: seed)
    }

    package mutating func handle(_ stimulus: ClientStimulus, at reading: ClockReading) -> [ClientAction] {
        switch stimulus {
        case .start: return step(.network(isUsable: true), reading)
        case .timer: return step(.timer, reading)
        case .network(let isUp): return step(.network(isUsable: isUp), reading)
        case .reply(let number, let reply):
            return step(.tryEnded(Self.identity(number), .whole(Self.result(of: reply))), reading)
        case .write:
            lastSequence += 1
            let entry = LaneEntry(
                id: Self.identity(UInt64(lastSequence)), lane: "a", sequence: lastSequence, createdAt: reading.now)
            table[entry.id] = entry
            return step(.tableChanged, reading)
        case .push: preconditionFailure("an outbox gets no push")
        }
    }

    private static func identity(_ number: UInt64) -> UUIDBytes { UUIDBytes(high: 1, low: number) }

    /// The result that the outbox makes of a response.
    private static func result(of reply: ServerReply) -> SendResult {
        switch reply {
        case .served: .head(ResponseSummary(201))
        case .refused: .notSent
        case .lost: .none
        case .overloaded(let seconds): .head(ResponseSummary(503, retryAfter: seconds.map { .seconds($0) }))
        }
    }

    private mutating func step(_ event: DeliveryEvent, _ reading: ClockReading) -> [ClientAction] {
        machine.applyTableChanges(TableChanges(Array(table.values), changed: nil), at: reading)
        // No batches are formed, so that no key is used.
        let step = machine.step(event, at: reading, freshKey: Self.identity(0))
        var actions: [ClientAction] = []
        for change in step.changes {
            switch change {
            case .update(let id, _, let delivery): table[id]?.delivery = delivery
            case .accept(let id):
                table[id] = nil
                actions.append(.finished)
            case .reject, .remove: preconditionFailure("nothing refuses or discards a write")
            }
        }
        for effect in step.effects {
            switch effect {
            case .send(let request): actions.append(.send(request.key.low))
            case .arm(let time): actions.append(.arm(time))
            case .cancel, .signIn, .resolve, .report: break
            }
        }
        return actions
    }
}
