// Population: many clients and one server in virtual time, event by event.

internal import LarderTesting
internal import LarderTransport

/// Many clients and one server in virtual time, which is advanced from event to event.
package struct Population<Client: PopulationClient> {
    /// The requests and their ends so far.
    package private(set) var record: PopulationRecord
    private var server: LoadedServer
    private var clients: [Client]
    /// The times for which the timers are armed, in nanoseconds; `Int64.max` for none.
    private var alarms: [Int64]
    private var queue = DeadlineHeap()
    private var random: SeededGenerator

    /// Clients that have not started.
    ///
    /// - Parameter make: makes a client with the seed of its machine.
    package init(_ count: Int, of server: LoadedServer, seed: UInt64, _ make: (_ seed: UInt64) -> Client) {
        var random = SeededGenerator(seed: seed)
        clients = (0..<count).map { _ in make(random.next()) }
        alarms = Array(repeating: .max, count: count)
        record = PopulationRecord(clients: count)
        self.random = random
        self.server = server
    }

    /// Schedules an event for every client, at one time.
    package mutating func schedule(_ stimulus: ClientStimulus, at time: Duration) {
        for client in clients.indices { queue.insert(stimulus, at: time.wholeNanoseconds, for: client) }
    }

    /// Schedules an event for every client, at a time of its own that is drawn from a range.
    package mutating func schedule(_ stimulus: ClientStimulus, spreadOver range: Range<Duration>) {
        let start = range.lowerBound.wholeNanoseconds
        let length = Int(range.upperBound.wholeNanoseconds - start)
        for client in clients.indices {
            queue.insert(stimulus, at: start + Int64(random.below(length)), for: client)
        }
    }

    /// Counts each client's requests from `time` on until it finishes for the first time.
    package mutating func watch(from time: Duration) { record.watch(from: time.wholeNanoseconds) }

    /// Performs the events up to a time.
    package mutating func run(until end: Duration) {
        let end = end.wholeNanoseconds
        while let entry = queue.popFirst(until: end) {
            if case .timer = entry.stimulus {
                // The timer was set to another time since.
                guard alarms[entry.client] == entry.time else { continue }
                alarms[entry.client] = .max
            }
            let reading = ClockReading(
                elapsed: .nanoseconds(entry.time), now: 1_800_000_000_000 + entry.time / 1_000_000)
            for action in clients[entry.client].handle(entry.stimulus, at: reading) {
                perform(action, of: entry.client, at: entry.time)
            }
        }
    }

    private mutating func perform(_ action: ClientAction, of client: Int, at time: Int64) {
        switch action {
        case .arm(let alarm):
            alarms[client] = alarm.map { max($0.wholeNanoseconds, time) } ?? .max
            if alarm != nil { queue.insert(.timer, at: alarms[client], for: client) }
        case .finished: record.addFinish(of: client, at: time)
        case .send(let number):
            let (reply, repliedAt) = server.receive(at: time, using: &random)
            record.addRequest(of: client, reply, at: time)
            // Responses of one time do not arrive at one time.
            let latency = 20_000_000 + Int64(random.below(200_000_000))
            queue.insert(.reply(number, reply), at: repliedAt + latency, for: client)
        }
    }
}
