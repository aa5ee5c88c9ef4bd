import HTTPTypes
import LarderStore
import Synchronization

/// The flights under way; an identical request joins one instead of starting another.
final class FlightTable: Sendable {
    /// The properties that make two requests identical.
    struct Key: Hashable {
        var cacheKey: String
        var request: HTTPRequest
        /// With the cache's own conditions, so that a request for the whole body does not join one for a confirmation.
        var sent: HTTPRequest
        var tags: Set<String>
        var isPinned: Bool
        var isPersistent: Bool?
        var account: String?
    }

    private struct State {
        var shared: [Key: Flight] = [:]
        var all: [ObjectIdentifier: Flight] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Joins the flight under `key`, or adds the one that `make` creates; nil when the table is closed.
    ///
    /// - Parameter key: nil for a flight that is not shared.
    func join(_ key: Key?, _ make: () -> Flight) -> FlightParticipant? {
        state.withLock { state in
            if state.isClosed { return nil }
            if let key, let flight = state.shared[key], flight.join() {
                return FlightParticipant(flight, isFirst: false)
            }
            let flight = make()
            if let key { state.shared[key] = flight }
            state.all[ObjectIdentifier(flight)] = flight
            return FlightParticipant(flight, isFirst: true)
        }
    }

    /// Removes a flight that is over.
    func end(_ flight: Flight, _ key: Key?) {
        state.withLock { state in
            if let key, state.shared[key] === flight { state.shared[key] = nil }
            state.all[ObjectIdentifier(flight)] = nil
        }
    }

    /// Whether no flight is under way.
    var isEmpty: Bool { state.withLock { $0.all.isEmpty } }

    /// Whether fewer than `limit` flights run without participants.
    func canDetach(limit: Int) -> Bool {
        state.withLock { $0.all.values.count(where: \.isBackground) < limit }
    }

    /// Lets a flight run without participants, unless `limit` flights do so already.
    func detach(_ flight: Flight, limit: Int) -> Bool {
        state.withLock { state in
            guard state.all.values.count(where: \.isBackground) < limit else { return false }
            flight.detach()
            return true
        }
    }

    /// Prevents the answers of matching flights from being stored.
    func forbidStorage(where matches: (Flight) -> Bool) {
        let flights = state.withLock { Array($0.all.values) }
        for flight in flights where matches(flight) { flight.forbidStorage() }
    }

    /// Cancels every flight and returns when all have ended. With `isLast`, no flight can begin any more.
    func cancelAll(isLast: Bool) async {
        let flights = state.withLock { state in
            state.isClosed = state.isClosed || isLast
            return Array(state.all.values)
        }
        for flight in flights { flight.cancel() }
        for flight in flights { _ = await flight.ended.value() }
    }
}
