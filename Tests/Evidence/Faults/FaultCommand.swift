// FaultCommand: makes every call of every verb fail, one after the other, and checks what is left.

import Glibc

/// `faults --work DIR --kept DIR --library FILE --tool FILE --seed N --every N --seconds N`.
struct FaultCommand {
    private let work: String
    private let kept: String
    private let library: String
    private let tool: String?
    private let seed: UInt64
    /// One of so many positions is tried.
    private let every: Int
    private let only: String?
    private let breaksChecks: Bool
    private var checker: FaultCheck
    private var runs = 0
    private var positions = 0
    private var failed = 0
    /// The faults that a verb was done in spite of.
    private var unnoticed: [String: Int] = [:]
    private var findings = 0
    private var classes: [String: Int] = [:]

    init(_ arguments: Arguments) throws {
        work = arguments.text("work") ?? "."
        kept = arguments.text("kept") ?? "."
        library = arguments.text("library") ?? ""
        tool = arguments.text("tool")
        seed = UInt64(try arguments.number("seed", 1))
        every = try arguments.number("every", 1)
        only = arguments.text("only")
        breaksChecks = try arguments.number("break") == 1
        checker = try FaultCheck(base: work + "/base")
    }

    mutating func run() throws -> Int32 {
        for verb in FaultVerb.all(hasTool: tool != nil) where only == nil || verb.name == only {
            let before = (runs, findings)
            let counts = try cleanRun(verb)
            for kind in FaultKind.all {
                for at in 1...max(1, counts[kind.name] ?? 0) where at <= counts[kind.name] ?? 0 {
                    positions += 1
                    if positions % every != Int(seed) % every { continue }
                    for mode in kind.modes {
                        for error in mode == "short" ? [28] : kind.errors {
                            try tryFault(verb, kind.name, at, mode, error)
                        }
                    }
                }
            }
            print("faults of \(verb.name): \(runs - before.0) runs, \(findings - before.1) findings")
            fflush(nil)
        }
        for (name, count) in classes.sorted(by: { $0.key < $1.key }) { print("error \(count)x \(name)") }
        for (name, count) in unnoticed.sorted(by: { $0.key < $1.key }) { print("done in spite of \(count)x \(name)") }
        let done = unnoticed.values.reduce(0, +)
        print(
            "faults: positions=\(positions) runs=\(runs) failed=\(failed) unnoticed=\(done) findings=\(findings)")
        return findings == 0 ? 0 : 1
    }

    /// Runs a verb without a fault, and returns the counts of its calls.
    private mutating func cleanRun(_ verb: FaultVerb) throws -> [String: Int] {
        try checker.begin(work)
        let end = try act(verb, ["FAULT_COUNTS": work + "/counts"])
        guard end == .exit(0) else {
            throw ToolFailure("\(verb.name) ended with \(end): \(try Files.text(work + "/out"))")
        }
        checker.noteClean(work + "/root")
        var counts: [String: Int] = [:]
        for line in try Files.text(work + "/counts").split(separator: "\n") {
            let words = line.split(separator: " ")
            counts[String(words[0])] = Int(words[1])
        }
        return counts
    }

    private func act(_ verb: FaultVerb, _ environment: [String: String]) throws -> ProcessEnd {
        let root = work + "/root"
        var environment = environment
        environment["LD_PRELOAD"] = library
        environment["EVIDENCE_ROOT"] = root
        environment["SWIFT_BACKTRACE"] = "enable=no"
        if case .tool(let words) = verb {
            environment["FAULT_FROM_START"] = "1"
            var arguments = [tool ?? ""]
            for word in words {
                arguments.append(
                    word.hasPrefix("ROOT") ? root + word.dropFirst(4) : word == "BASE.dump" ? work + "/dump" : word)
            }
            return try ChildProcess.run(arguments, environment: environment, output: work + "/out")
        }
        let program = CommandLine.arguments[0]
        return try ChildProcess.run(
            [program, "act", root, verb.name], environment: environment, output: work + "/out")
    }

    private mutating func tryFault(
        _ verb: FaultVerb, _ kind: String, _ at: Int, _ mode: String, _ error: Int32
    ) throws {
        runs += 1
        try checker.begin(work)
        let end = try act(
            verb, ["FAULT_KIND": kind, "FAULT_AT": "\(at)", "FAULT_MODE": mode, "FAULT_ERRNO": "\(error)"])
        let output = try Files.text(work + "/out")
        if end == .exit(0) { unnoticed["\(kind) in \(verb.name)", default: 0] += 1 } else { failed += 1 }
        if end != .exit(0) {
            classes["\(end) \(output.prefix { $0 != "(" && $0 != "\n" }.prefix(70))", default: 0] += 1
        }
        if breaksChecks { Files.remove(work + "/root/store/data.mdb") }
        let fault = fault(of: end, output) ?? checker.fault(of: verb, work + "/root", isDone: end == .exit(0))
        guard let fault else { return }
        findings += 1
        let name = "\(verb.name), \(kind) \(at), \(mode), errno \(error)"
        print("finding: \(name): \(fault)")
        if findings <= 20 { try Files.copy(work, to: "\(kept)/fault-\(seed)-\(findings)") }
    }

    /// What is wrong with the way that a process ended.
    private func fault(of end: ProcessEnd, _ output: String) -> String? {
        let line = output.split(separator: "\n").last.map(String.init) ?? ""
        switch end {
        case .signal(let signal): return "signal \(signal): \(line)"
        case .hang: return "it hangs"
        case .exit(0): return nil
        case .exit(1), .exit(3), .exit(4):
            // A page that cannot be read is named, with the cause.
            let isBlamed =
                ["damaged", "corrupt", "finding"].contains { line.contains($0) }
                && !line.contains("the medium does not return it")
            return isBlamed ? "a fault of the system is reported as damage: \(line)" : nil
        case .exit(let status): return "exit status \(status): \(line)"
        }
    }
}
