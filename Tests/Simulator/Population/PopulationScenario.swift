// PopulationScenario: the courses of events of which the figures of a population are made.

/// A course of events of one population.
///
/// Clients start at random times within one refresh interval; what is measured begins an interval later.
package struct PopulationScenario: Sendable {
    /// The event that reaches every client at one time.
    package enum Herd: Sendable, CaseIterable {
        /// A push to all.
        case push
        /// The return of all links at once, after an hour.
        case network
    }

    /// The time between two runs of one client by the default policy.
    package static let interval = Duration.seconds(15 * 60)
    /// The time at which an outage, or a herd, begins.
    package static let begin = interval * 2
    /// The time of the server's return, or the return of all links.
    package static let end = begin + .seconds(3600)

    /// The number of clients.
    package let clients: Int
    /// The seed of all random numbers.
    package let seed: UInt64

    /// A scenario of so many clients.
    package init(clients: Int, seed: UInt64) {
        self.clients = clients
        self.seed = seed
    }

    /// The requests in a second while nothing happens.
    package var steadyRate: Double { Double(clients) / (Self.interval / .seconds(1)) }

    /// Clients that are started, and a server of so many times the steady load.
    private func start(_ capacity: Double, _ waits: LoadedServer.Waits, outage: Bool) -> Population<SyncClient> {
        let server = LoadedServer(
            capacity: capacity * steadyRate, waits: waits, outage: outage ? Self.begin..<Self.end : .zero..<(.zero))
        var population = Population(clients, of: server, seed: seed) { SyncClient(seed: $0) }
        population.schedule(.start, spreadOver: .zero..<Self.interval)
        return population
    }

    /// Nothing happens, for so many intervals after the one of the starts.
    package func steady(capacity: Double = 2, intervals: Int) -> PopulationRecord {
        var population = start(capacity, .none, outage: false)
        population.run(until: Self.interval * (intervals + 1))
        return population.record
    }

    /// The server refuses connections for an hour; clients are watched from its return on.
    package func outage(capacity: Double = 2, waits: LoadedServer.Waits, intervals: Int) -> PopulationRecord {
        var population = start(capacity, waits, outage: true)
        population.watch(from: Self.end)
        population.run(until: Self.end + Self.interval * intervals)
        return population.record
    }

    /// All clients run at one time; they are watched from then on.
    package func herd(
        _ herd: Herd, capacity: Double = 2, waits: LoadedServer.Waits, intervals: Int
    ) -> PopulationRecord {
        var population = start(capacity, waits, outage: false)
        let time = Self.time(of: herd)
        switch herd {
        case .push: population.schedule(.push, at: time)
        case .network:
            population.schedule(.network(isUp: false), at: Self.begin)
            population.schedule(.network(isUp: true), at: time)
        }
        population.watch(from: time)
        population.run(until: time + Self.interval * intervals)
        return population.record
    }

    /// The time at which all clients run.
    package static func time(of herd: Herd) -> Duration {
        switch herd {
        case .push: begin
        case .network: end
        }
    }

    /// Each client makes one write while the server refuses connections for an hour. Clients are watched from its
    /// return on; it performs as many writes in a second as pages in the other scenarios.
    package func writes(capacity: Double = 2, waits: LoadedServer.Waits, intervals: Int) -> PopulationRecord {
        let server = LoadedServer(capacity: capacity * steadyRate, waits: waits, outage: Self.begin..<Self.end)
        var population = Population(clients, of: server, seed: seed) { WriteClient(seed: $0) }
        population.schedule(.start, spreadOver: .zero..<Self.interval)
        population.schedule(.write, spreadOver: Self.begin..<Self.end)
        population.watch(from: Self.end)
        population.run(until: Self.end + Self.interval * intervals)
        return population.record
    }
}
