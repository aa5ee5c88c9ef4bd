// Contender: one of the compared implementations; runs them in turn and keeps the value of each round.

import CCounters

/// One of the things compared: runs once and says what it took, per operation.
struct Contender {
    let name: String
    let run: () async throws -> Double
}

/// Runs the contenders in turn, A B C A B C, and gives the values of each: what disturbs the machine meets all alike.
///
/// The first round warms up and does not count, unless `warmUp` is false.
func interleaved(rounds: Int, warmUp: Bool = true, _ contenders: [Contender]) async throws -> [Series] {
    var durations = contenders.map { _ in [Double]() }
    for round in 0..<(warmUp ? rounds + 1 : rounds) {
        for (index, contender) in contenders.enumerated() {
            let value = try await contender.run()
            if !warmUp || round > 0 { durations[index].append(value) }
        }
    }
    return zip(contenders, durations).map { Series(name: $0.name, values: $1) }
}

/// The value below which the given part of `values` lies; 0 when there are none.
func percentile(_ values: [Double], _ part: Double) -> Double {
    if values.isEmpty { return 0 }
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int((Double(sorted.count) * part).rounded(.down)))]
}

extension Measurement {
    /// Compares Larder, the first contender, with its peers, in at least five rounds.
    static func compare(
        _ suite: String, _ name: String, size: String = "", unit: String, rounds: Int = 5, warmUp: Bool = true,
        _ contenders: [Contender]
    ) async throws -> Measurement {
        let series = try await interleaved(rounds: max(rounds, 5), warmUp: warmUp, contenders)
        return Measurement(
            suite: suite, name: name, size: size, unit: unit, larder: series[0], peers: Array(series.dropFirst()))
    }
}

/// Nanoseconds per operation of `body`.
func timed(_ operations: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now).nanoseconds / Double(operations)
}

/// As ``timed(_:_:)``, of an asynchronous body.
func timedAsync(_ operations: Int, _ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return start.duration(to: .now).nanoseconds / Double(operations)
}

/// Allocations of memory per operation of `body`.
func countedAllocations(_ operations: Int, _ body: () throws -> Void) rethrows -> Double {
    allocation_count_begin()
    // Ends a count that an error has left open.
    defer { _ = allocation_count_end() }
    try body()
    return Double(allocation_count_end()) / Double(operations)
}

/// Measures a body of so many operations: ``timed(_:_:)`` or ``countedAllocations(_:_:)``.
typealias Measure = (_ operations: Int, _ body: () throws -> Void) throws -> Double

/// Keeps results alive without printing them.
@inline(never)
func blackHole(_ value: UInt64) {}

/// Throws unless what a contender has read is what it was to read.
func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
    if value != expected { throw PeerError.wrongResult("\(what): \(value) in place of \(expected)") }
}
