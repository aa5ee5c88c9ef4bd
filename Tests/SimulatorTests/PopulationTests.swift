// Proves that the waits of many clients, together, stay within what a server of twice their steady load can do.

import Foundation
import LarderSimulator
import Testing

/// Populations of clients with the machines that ship, in virtual time, and a server of limited capacity.
///
/// `LARDER_POPULATION` is the number of clients. Bounds are those of expectations, plus six standard deviations of a
/// count of that size, so that they hold for small populations, too.
@Suite struct `A population of clients` {
    private static let count =
        ProcessInfo.processInfo.environment["LARDER_POPULATION"].flatMap { Int($0) } ?? 1000
    private static let interval = PopulationScenario.interval
    private static let begin = PopulationScenario.begin
    private static let end = PopulationScenario.end

    /// Returns the most events that a second may have which has `mean` of them on average.
    private static func most(_ mean: Double) -> Double { mean + 6 * mean.squareRoot() + 1 }

    private static func print(_ lines: String...) {
        Swift.print((["population of \(count)", PopulationRecord.heading] + lines).joined(separator: "\n"))
    }

    @Test func `has one course for each seed`() {
        func profile(_ seed: UInt64) -> [Int] {
            PopulationScenario(clients: 100, seed: seed).outage(waits: .fixed(30), intervals: 1)
                .profile(.zero..<(Self.end + Self.interval))
        }
        #expect(profile(1) == profile(1))
        #expect(profile(1) != profile(2))
    }

    @Test func `sends one request per client and interval, evenly, while nothing happens`() {
        let scenario = PopulationScenario(clients: Self.count, seed: 11)
        let record = scenario.steady(intervals: 3)
        let range = Self.interval..<(Self.interval * 4)
        Self.print("steady, seed 11: mean \(PopulationRecord.text(record.mean(range)))/s, peak \(record.peak(range))/s")

        // Nothing but the timer makes a client run. The latency of a response is a share by which it is less.
        #expect((scenario.steadyRate * 0.97...scenario.steadyRate * 1.03).contains(record.mean(range)))
        // The clients were started independently, and stay so.
        #expect(Double(record.peak(range)) <= Self.most(scenario.steadyRate))
    }

    @Test(arguments: [LoadedServer.Waits.none, .fixed(30)])
    func `returns after an outage within the capacity that the server has left`(_ waits: LoadedServer.Waits) {
        let scenario = PopulationScenario(clients: Self.count, seed: 12)
        let record = scenario.outage(waits: waits, intervals: 3)
        let late = Self.begin + .seconds(1800)..<Self.end
        let refused = Double(record.refusals(Self.begin..<Self.end)) / Double(Self.count)
        Self.print(
            record.row("outage of 1 h, waits \(waits), seed 12", from: Self.end, intervals: 3),
            "refused in the outage: \(PopulationRecord.text(refused)) a client; "
                + "in its second half \(PopulationRecord.text(record.mean(late)))/s, peak \(record.peak(late))/s")

        // The waits grow to 300 s less up to a half: at least 150 s, on average 225 s.
        #expect(record.mean(late) <= Double(Self.count) / 200)
        #expect(Double(record.peak(late)) <= Self.most(Double(Self.count) / 150))
        // Nine requests while the waits grow to 150 s, and then one in 150 s at most.
        #expect(refused <= 9 + 3600 / 150)

        // No more come at one time than the longest waits allow: three times the capacity.
        let after = Self.end..<(Self.end + Self.interval * 3)
        #expect(Double(record.peak(after)) <= Self.most(Double(Self.count) / 150))
        // Half the interval is the work of one request per client. Two of the longest waits are the tail.
        #expect(record.time(untilFinished: 0.99).map { $0 <= Self.interval } == true)
        #expect(record.time().map { $0 <= Self.interval / 2 + .seconds(600) } == true)
        #expect(record.requestsUntilFinished.mean <= 2)
        #expect(record.requestsUntilFinished.most <= 10)
        // The herd of the return is not one at the next interval: the server has spread it.
        #expect(record.overloads((Self.end + Self.interval * 2)..<(Self.end + Self.interval * 3)) <= Self.count / 20)
    }

    @Test(arguments: PopulationScenario.Herd.allCases, [LoadedServer.Waits.none, .fixed(30)])
    func `is in step soon after all run at once`(_ herd: PopulationScenario.Herd, _ waits: LoadedServer.Waits) {
        let scenario = PopulationScenario(clients: Self.count, seed: 13)
        let time = PopulationScenario.time(of: herd)
        let record = scenario.herd(herd, waits: waits, intervals: 3)
        Self.print(record.row("all at once (\(herd)), waits \(waits), seed 13", from: time, intervals: 3))

        // Half the interval is the work; the waits of those that were refused grow to 300 s meanwhile.
        #expect(record.time(untilFinished: 0.99).map { $0 <= Self.interval / 2 + .seconds(600) } == true)
        #expect(record.time().map { $0 <= Self.interval / 2 + .seconds(900) } == true)
        // The waits double: the number of requests is that of the doublings from 1 s to 450 s, and two more.
        #expect(record.requestsUntilFinished.mean <= 11)
        #expect(record.requestsUntilFinished.most <= 15)
        // The server has spread the herd over the time of its work, and does not refuse it again.
        #expect(record.overloads((time + Self.interval * 2)..<(time + Self.interval * 3)) <= Self.count / 20)
    }

    @Test func `sends nothing before the end of the wait that the server requested`() {
        let scenario = PopulationScenario(clients: Self.count, seed: 16)
        let wait = Duration.seconds(300)
        let record = scenario.herd(.push, waits: .fixed(300), intervals: 1)
        Self.print(record.row("all at once (push), waits fixed(300), seed 16", from: Self.begin, intervals: 1))
        // All clients were served, or refused, in the second of the push. Those that were served are due in 15 minutes.
        #expect(record.overloads(Self.begin..<(Self.begin + .seconds(1))) > Self.count / 2)
        // A run that was under way then has ended after ten seconds, and was followed by the one of the push.
        #expect(record.arrivals((Self.begin + .seconds(10))..<(Self.begin + wait)) == 0)
    }

    @Test func `returns one after another after a long wait that the server requested of all`() {
        let scenario = PopulationScenario(clients: Self.count, seed: 17)
        let record = scenario.herd(.push, waits: .fixed(300), intervals: 3)
        Self.print(record.row("all at once (push), waits fixed(300), seed 17", from: Self.begin, intervals: 3))
        // The wait is lengthened by up to a half: those that are refused a second time return over 150 s, later over 300 s.
        #expect(record.time(untilFinished: 0.99).map { $0 <= .seconds(1800) } == true)
        #expect(record.requestsUntilFinished.mean <= 5)
    }

    @Test func `is less and less together after all were in step in one second`() {
        let scenario = PopulationScenario(clients: Self.count, seed: 18)
        let record = scenario.herd(.push, capacity: 1000, waits: .none, intervals: 6)
        Self.print(
            record.row("all at once (push), capacity 1000 times the load, seed 18", from: Self.begin, intervals: 6))
        func peak(_ interval: Int) -> Double {
            let start = Self.begin + Self.interval * interval
            return Double(record.peak(start..<(start + Self.interval)))
        }
        // The next runs are spread over the fifth of an interval by which an interval is shortened, the ones after them over more.
        #expect(peak(1) <= Self.most(scenario.steadyRate * 10))
        #expect(peak(4) <= Self.most(scenario.steadyRate * 6))
    }

    @Test func `is in step within a second where the server can do all at once`() {
        let scenario = PopulationScenario(clients: Self.count, seed: 14)
        let record = scenario.herd(.push, capacity: 1000, waits: .none, intervals: 5)
        Self.print(
            record.row("all at once (push), capacity 1000 times the load, seed 14", from: Self.begin, intervals: 5))
        #expect(record.time().map { $0 <= .seconds(2) } == true)
        // A push costs one request of each client.
        #expect(record.requestsUntilFinished.most == 1)
    }

    @Test(arguments: [LoadedServer.Waits.none, .fixed(30), .fixed(300)])
    func `delivers every write after an outage`(_ waits: LoadedServer.Waits) {
        let scenario = PopulationScenario(clients: max(1, Self.count / 4), seed: 15)
        let record = scenario.writes(waits: waits, intervals: 5)
        let clients = Double(scenario.clients)
        let last = (Self.end - .seconds(60))..<Self.end
        let refused = Double(record.refusals(Self.begin..<Self.end)) / clients
        Self.print(
            record.row(
                "\(scenario.clients) writes of an outage of 1 h, waits \(waits), seed 15", from: Self.end, intervals: 5),
            "refused in the outage: \(PopulationRecord.text(refused)) a write; "
                + "at its end \(PopulationRecord.text(record.mean(last)))/s, peak \(record.peak(last))/s")

        // The waits of writes grow to 60 s less up to a fifth.
        #expect(Double(record.peak(last)) <= Self.most(clients / 48))
        #expect(Double(record.peak(Self.end..<(Self.end + Self.interval * 5))) <= Self.most(clients / 48))
        // Half the interval is the work of all writes. A write that failed five times waits for 5 minutes, then for 10
        // and 20; with a wait of the server none fails.
        // A wait of 300 s is lengthened by up to a half, and may be requested three times.
        let limit: Duration =
            switch waits {
            case .none: .seconds(450 + 35 * 60)
            case .fixed(300): .seconds(450 + 3 * 450)
            default: .seconds(900)
            }
        #expect(record.time(untilFinished: 0.99).map { $0 <= limit } == true)
        #expect(record.time() != nil)
        #expect(record.requestsUntilFinished.mean <= 10)
    }
}
