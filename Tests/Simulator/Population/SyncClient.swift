// SyncClient: a client that keeps one filter in step, by the machine of the coordinator.

internal import LarderStore
package import LarderSync
package import LarderTransport

/// A client that keeps one filter in step; a run of it is one request for a page.
///
/// The outcomes of its runs are those that the client of the server makes of the same responses.
package struct SyncClient: PopulationClient {
    private static let filter: ResourceFilter = "content:*"
    private static let text = filter.description
    private static let hour: Int64 = 3_600_000

    private var machine: CoordinatorMachine
    private let policy: SyncPolicy
    /// The wait that the server requested, as the store keeps it.
    private var serverWait: ServerWait?
    private var isConnected = true

    /// A client that has a token, and was last in step an hour before its start.
    package init(policy: SyncPolicy = SyncPolicy(), seed: UInt64) {
        self.policy = policy
        machine = CoordinatorMachine(policy: policy, hasProbe: true, seed: seed)
    }

    package mutating func handle(_ stimulus: ClientStimulus, at reading: ClockReading) -> [ClientAction] {
        var actions: [ClientAction] = []
        switch stimulus {
        case .start:
            var known = KnownFilter()
            known.hasToken = true
            known.syncedAt = reading.now - Self.hour
            step(.added(Self.filter, .normal, known), reading, &actions)
            step(.power(.normal), reading, &actions)
            step(.network(.online), reading, &actions)
        case .timer: step(.timer, reading, &actions)
        case .push: step(.trigger(.push(nil)), reading, &actions)
        case .network(let isUp):
            isConnected = isUp
            step(.network(isUp ? .online : .offline), reading, &actions)
        case .reply(_, let reply): end(isConnected ? reply : .lost, reading, &actions)
        case .write: preconditionFailure("a client of content does not write")
        }
        return actions
    }

    private mutating func end(_ reply: ServerReply, _ reading: ClockReading, _ actions: inout [ClientAction]) {
        switch reply {
        case .served:
            step(.responded(Self.text), reading, &actions)
            let report = SyncReport(filter: Self.text, kind: .incremental)
            step(.ended(Self.text, .success(report)), reading, &actions)
            actions.append(.finished)
        case .refused: fail(SyncError(TransportError.connectionRefused), reading, &actions)
        case .lost: fail(SyncError(TransportError.connectionLost(reason: "simulated")), reading, &actions)
        case .overloaded(let seconds): fail(Self.overload(retryAfter: seconds), reading, &actions)
        }
    }

    private mutating func fail(_ error: SyncError, _ reading: ClockReading, _ actions: inout [ClientAction]) {
        // As ServerClient stores it: a longer wait that is not over stays.
        if let seconds = error.retryAfter {
            let wait = min(.seconds(seconds), policy.maximumRetryAfter).milliseconds
            if wait > serverWait?.remaining(at: reading.now) ?? 0 {
                serverWait = ServerWait(until: reading.now + wait, recordedAt: reading.now)
            }
        }
        step(.ended(Self.text, .failure(error)), reading, &actions)
    }

    /// The error of a run whose page request got 503.
    private static func overload(retryAfter: Int?) -> SyncError {
        let problem = ServerProblem(status: 503, code: nil, message: "")
        do throws(SyncError) {
            let kind = try ResponseKind(problem, contentType: "application/json", retryAfter: retryAfter, to: .page)
            preconditionFailure("a 503 is no \(kind)")
        } catch {
            return error
        }
    }

    private mutating func step(
        _ event: CoordinatorEvent, _ reading: ClockReading, _ actions: inout [ClientAction]
    ) {
        for effect in machine.step(event, at: reading) {
            switch effect {
            case .start: start(reading, &actions)
            case .arm(let time): actions.append(.arm(time))
            case .cancel, .probe, .refuse, .storeRunRecord, .report, .stopped, .listen, .stopListening: break
            }
        }
    }

    /// Sends the request of a run, unless a wait of the server lasts.
    private mutating func start(_ reading: ClockReading, _ actions: inout [ClientAction]) {
        guard let rest = serverWait?.remaining(at: reading.now), rest > 0 else { return actions.append(.send(0)) }
        let error = SyncError.serverWait(seconds: Int(clamping: (rest + 999) / 1000))
        step(.ended(Self.text, .failure(error)), reading, &actions)
    }
}
