// Commands that fork inside a read or write transaction.

import Foundation
import LarderEngine

/// `fork`, which Swift's overlay withholds.
private func forkProcess() -> pid_t {
    // The symbol exists in every C library, with this signature.
    guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
    let call = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    return call()
}

/// Runs `body` in a forked child, then ends the child at once.
private func inChild(_ body: () -> Void) {
    let child = forkProcess()
    if child == 0 {
        body()
        _exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
    if status != 0 { printLine("child \(status)") }
}

private func attempt(_ name: String, _ body: () throws -> Void) {
    do {
        try body()
        printLine("\(name) allowed")
    } catch {
        printLine("\(name) \(error as? EngineError == .usedAfterFork ? "refused" : "\(error)")")
    }
}

/// Uses an environment in forked children, and reports whether the parent noticed.
func forkInside(_ path: String) throws {
    let environment = try open(path)
    try environment.set("key", [1])
    inChild {
        attempt("read") { _ = try environment.get("key") }
        attempt("write") { try environment.set("key", [9]) }
        attempt("onWriter") { try environment.onWriter {} }
        attempt("info") { _ = try environment.info() }
        attempt("clear") { try environment.clearStaleReaders() }
        attempt("close") { try environment.close() }
    }
    try forkInsideRead(environment)
    try forkInsideWrite(environment)
    printLine("found \(try environment.get("key") ?? [])")
    try environment.close()
}

/// A child that leaves its parent's read must not give the parent's snapshot up.
private func forkInsideRead(_ environment: Environment) throws {
    let table = environment.table("one")
    var isChild = false
    try environment.set("snapshot", [UInt8](repeating: 1, count: 900))
    try environment.read { view in
        let child = forkProcess()
        if child == 0 {
            isChild = true
            attempt("nested read") { _ = try environment.read { $0.commit } }
            return
        }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        let overwriter = Thread {
            for round in 2..<60 { try? environment.set("snapshot", [UInt8](repeating: UInt8(round), count: 900)) }
            finished.signal()
        }
        overwriter.start()
        finished.wait()
        let key = Array("snapshot".utf8)
        let value = unsafe try view.value(forKey: key.span.bytes, in: table)
        let first = if let value { unsafe value.unsafeLoadUnaligned(as: UInt8.self) } else { UInt8(0) }
        printLine("snapshot \(first == 1 ? "kept" : "lost")")
    }
    if isChild { _exit(0) }
}

private let finished = DispatchSemaphore(value: 0)

/// A child that leaves its parent's write must not commit or abort it.
private func forkInsideWrite(_ environment: Environment) throws {
    let table = environment.table("one")
    let before = try environment.info().lastCommit
    try environment.onWriter {
        let parent = getpid()
        do {
            try environment.transact(durability: .full) { transaction in
                let key = Array("forked".utf8)
                unsafe try transaction.set(key.span.bytes, forKey: key.span.bytes, in: table)
                let child = forkProcess()
                if child > 0 {
                    var status: Int32 = 0
                    unsafe waitpid(child, &status, 0)
                    printLine("commits by the child \(try environment.info().lastCommit - before)")
                }
            }
            if getpid() != parent { printLine("write in a child allowed") }
        } catch {
            printLine("forked write \(error as? EngineError == .usedAfterFork ? "refused" : "\(error)")")
        }
        if getpid() != parent { _exit(0) }
    }
    try environment.set("key", [2])
    printLine("commits by the parent \(try environment.info().lastCommit - before)")
}
