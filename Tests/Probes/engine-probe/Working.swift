// Commands that grow, reopen and commit to a store.

import LarderEngine

/// Adds rows of its own to a map that starts small, reading them back all the time.
func grow(_ path: String, name: String, rows: Int) throws {
    let environment = try open(path, mapSize: 128 << 10)
    var wrong = 0
    for row in 0..<rows {
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: row), count: 900)
        try environment.set("\(name) \(row)", value, durability: .relaxed)
        let earlier = row / 2
        let expected = [UInt8](repeating: UInt8(truncatingIfNeeded: earlier), count: 900)
        if try environment.get("\(name) \(earlier)") != expected { wrong += 1 }
    }
    printLine("wrong \(wrong)")
    try environment.close()
}

/// Opens, writes and closes again and again.
func reopenRepeatedly(_ path: String, cycles: Int) throws {
    var failures: [String] = []
    for cycle in 0..<cycles {
        do {
            let environment = try open(path)
            try environment.set("churn", [UInt8(truncatingIfNeeded: cycle)])
            try environment.close()
        } catch {
            failures.append("\(error)")
        }
    }
    printLine("failures \(failures.count) \(failures.first ?? "")")
}

/// Commits numbered keys, opening the store again after a failure that asks for it, and says how each went.
func commit(_ path: String, count: Int) throws {
    var environment = try open(path)
    printLine("opened")
    for number in 0..<count {
        do {
            try environment.set("key \(number)", [UInt8](repeating: UInt8(number), count: 3000))
            printLine("done \(number)")
        } catch let error as EngineError {
            printLine("failed \(number) \(error)")
            let isStopped = (try? environment.get("key 0")) == nil
            printLine("stopped \(number) \(isStopped)")
            try environment.close()
            environment = try open(path)
        }
    }
    try environment.close()
    environment = try open(path)
    for number in 0..<count {
        let value = try environment.get("key \(number)")
        let isWhole = value == [UInt8](repeating: UInt8(number), count: 3000)
        printLine("found \(number) \(value == nil ? "nothing" : isWhole ? "whole" : "wrong")")
    }
    try environment.close()
}
