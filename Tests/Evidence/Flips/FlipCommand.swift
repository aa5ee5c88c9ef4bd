// FlipCommand: flips bits of a small store, and counts what becomes of each damaged file.

import Calls
import Glibc

/// `flips --work DIR --kept DIR --seed N --count N --self-test 0|1`.
final class FlipCommand {
    private let base: FlipBase
    private let results: FlipResults
    private let root: String
    private let kept: String
    private let seed: UInt64
    private let count: Int
    private var deaths: [String: Int] = [:]

    init(_ arguments: Arguments) throws {
        let work = arguments.text("work") ?? "."
        base = try FlipBase(work + "/base/store", expectsAnother: arguments.number("self-test") == 1)
        results = try FlipResults()
        root = work + "/root"
        kept = arguments.text("kept") ?? "."
        seed = UInt64(try arguments.number("seed", 1))
        count = try arguments.number("count", 1000)
        Files.makeDirectory(root)
    }

    func run() throws -> Int32 {
        for syncs in [false, true] {
            try inChild { [self] in
                try base.write(base.data, to: root + "/store", isClean: true)
                results.expect(try FlipCheck.change(root, syncs: syncs, syncsAtEnd: { _ in true }), syncs: syncs)
            }
        }
        results.state = 0
        while results.state < count {
            let status = child { [self] in
                while results.state < count {
                    try check(results.state).run()
                    results.state += 1
                    // A fresh process now and then, as a failed close leaves its file open.
                    if results.state.isMultiple(of: 256) { return }
                }
            }
            if status == 0 { continue }
            noteDeath(status)
            results.state += 1
        }
        return report()
    }

    /// The check of a state, which its number and the seed decide.
    private func check(_ state: Int) -> FlipCheck {
        var random = SplitMix64(seed: seed &* 1_000_003 &+ UInt64(state))
        var bytes = base.data
        let part = PageMap.Part.allCases.randomElement(using: &random) ?? .values
        // Half of the flips are anywhere, half in a part of the file.
        let ranges = state.isMultiple(of: 2) ? nil : base.map.ranges[part]
        for _ in 0..<(Int.random(in: 0..<8, using: &random) == 0 ? 2 : 1) {
            let range = ranges?.randomElement(using: &random) ?? 0..<bytes.count
            let place = Int.random(in: range, using: &random)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
        let isClean = Int.random(in: 0..<2, using: &random) == 0
        return FlipCheck(
            base: base, results: results, root: root, kept: kept, bytes: bytes, isClean: isClean,
            isReadOnly: Bool.random(using: &random), syncs: state % 3 == 0)
    }

    private func noteDeath(_ status: Int32) {
        let state = check(results.state)
        let phase = FlipPhase(rawValue: results.phase) ?? .verify
        let outcome: FlipOutcome = status & 0x7F == SIGALRM ? .hung : .dead
        results.count(state.isClean, phase, outcome)
        deaths["\(phase) \(state.isClean ? "clean" : "unclean") signal \(status & 0x7F)", default: 0] += 1
        FlipReport.report(state, phase, outcome)
    }

    private func report() -> Int32 {
        for isClean in [true, false] {
            for phase in FlipPhase.allCases {
                let text = FlipOutcome.allCases.map { "\($0)=\(results.total(isClean, phase, $0))" }
                print("\(isClean ? "with" : "without") a clean close, \(phase): \(text.joined(separator: " "))")
            }
        }
        for (name, count) in deaths.sorted(by: { $0.key < $1.key }) { print("\(count)x \(name)") }
        print(FlipReport.line(results, count))
        return results.findings == 0 ? 0 : 1
    }

    /// Runs work in a child and returns the wait status.
    private func child(_ work: @escaping () throws -> Void) -> Int32 {
        let box = Work(work)
        return unsafe evidence_in_child(
            { context in
                // The box outlives the call.
                let box = unsafe Unmanaged<Work>.fromOpaque(context!).takeUnretainedValue()
                do { try box.run() } catch {
                    print("evidence: \(error)")
                    _exit(3)
                }
                fflush(nil)
            }, Unmanaged.passUnretained(box).toOpaque(), 60)
    }

    private func inChild(_ work: @escaping () throws -> Void) throws {
        let status = child(work)
        if status != 0 { throw ToolFailure("an undamaged store cannot be used: status \(status)") }
    }
}

/// Work for a child.
private final class Work {
    let run: () throws -> Void
    init(_ run: @escaping () throws -> Void) { self.run = run }
}
