// PopulationRecord: the requests of a population by the second, and the clients that have finished.

/// The requests of a population, by the second of their arrival, and the ends of its clients.
package struct PopulationRecord: Sendable {
    /// The counts of one second.
    private struct Second {
        var arrivals = 0
        var refusals = 0
        var overloads = 0
    }

    private var seconds: [Second] = []
    private var watchedFrom: Int64 = .max
    /// The nanoseconds at which each client first finished while watched; `Int64.max` for not yet.
    private var finishedAt: [Int64]
    /// The requests of each client while watched, until it finished.
    private var requests: [Int]

    /// The number of clients.
    package var clients: Int { finishedAt.count }

    init(clients: Int) {
        finishedAt = Array(repeating: .max, count: clients)
        requests = Array(repeating: 0, count: clients)
    }

    mutating func watch(from time: Int64) {
        watchedFrom = time
        for client in finishedAt.indices { (finishedAt[client], requests[client]) = (.max, 0) }
    }

    mutating func addRequest(of client: Int, _ reply: ServerReply, at time: Int64) {
        let second = Int(time / 1_000_000_000)
        while seconds.count <= second { seconds.append(Second()) }
        seconds[second].arrivals += 1
        switch reply {
        case .served: break
        case .refused, .lost: seconds[second].refusals += 1
        case .overloaded: seconds[second].overloads += 1
        }
        if time >= watchedFrom, finishedAt[client] == .max { requests[client] += 1 }
    }

    mutating func addFinish(of client: Int, at time: Int64) {
        if time >= watchedFrom, finishedAt[client] == .max { finishedAt[client] = time }
    }
}

// MARK: - Figures

extension PopulationRecord {
    private func part(_ range: Range<Duration>) -> ArraySlice<Second> {
        let first = Int(range.lowerBound.components.seconds)
        let end = Int(range.upperBound.components.seconds)
        return seconds[min(first, seconds.count)..<min(end, seconds.count)]
    }

    /// The most requests that arrive in one second of a range of whole seconds.
    package func peak(_ range: Range<Duration>) -> Int { part(range).map(\.arrivals).max() ?? 0 }

    /// The requests that arrive in a range.
    package func arrivals(_ range: Range<Duration>) -> Int { part(range).reduce(0) { $0 + $1.arrivals } }

    /// The requests that arrive in a second of a range, on average.
    package func mean(_ range: Range<Duration>) -> Double {
        Double(arrivals(range)) / ((range.upperBound - range.lowerBound) / .seconds(1))
    }

    /// The requests of a range whose connections are refused or lost.
    package func refusals(_ range: Range<Duration>) -> Int { part(range).reduce(0) { $0 + $1.refusals } }

    /// The requests of a range that are answered with 503.
    package func overloads(_ range: Range<Duration>) -> Int { part(range).reduce(0) { $0 + $1.overloads } }

    /// The requests of each second of a range.
    package func profile(_ range: Range<Duration>) -> [Int] { part(range).map(\.arrivals) }

    /// The time from the start of the watch until a share of the clients has finished; nil if it never has.
    package func time(untilFinished share: Double = 1) -> Duration? {
        let sorted = finishedAt.sorted()
        let last = sorted[max(0, Int((Double(sorted.count) * share).rounded(.up)) - 1)]
        return last == .max ? nil : .nanoseconds(last - watchedFrom)
    }

    /// The requests of a client from the start of the watch until it finished: on average, and at most.
    package var requestsUntilFinished: (mean: Double, most: Int) {
        (Double(requests.reduce(0, +)) / Double(max(1, requests.count)), requests.max() ?? 0)
    }
}
