// Proves that misuse which the compiler cannot detect ends the process before it harms the file.

import Foundation
import LarderEngine
import Testing

/// A caller's mistakes that the compiler cannot see end the process before they harm the file.
@Suite struct `At run time` {
    @Test func `a blocking write inside a read ends the process`() async {
        let directory = TemporaryDirectory()
        await #expect(processExitsWith: trap) { [path = directory.path as String] in
            let environment = try Environment.open(path: path, options: .small)
            try environment.read { _ in try environment.set([1], [1]) }
        }
    }

    @Test func `a transaction inside another ends the process`() async {
        let directory = TemporaryDirectory()
        await #expect(processExitsWith: trap) { [path = directory.path as String] in
            let environment = try Environment.open(path: path, options: .small)
            try environment.writeBlocking { _ in try environment.transact(durability: .full) { _ in } }
        }
    }

    @Test func `closing inside a read ends the process`() async {
        let directory = TemporaryDirectory()
        await #expect(processExitsWith: trap) { [path = directory.path as String] in
            let environment = try Environment.open(path: path, options: .small)
            try environment.read { _ in try environment.close() }
        }
    }

    @Test func `two write transactions exchanged end the process`() async {
        let directory = TemporaryDirectory()
        await #expect(processExitsWith: trap) { [path = directory.path as String] in
            let one = try Environment.open(path: path, options: .small)
            let two = try Environment.open(path: path + "/two", options: .small)
            try one.writeBlocking { outer in
                try two.writeBlocking { inner in swap(&outer, &inner) }
            }
        }
    }
}

#if arch(x86_64)
private let trap = ExitTest.Condition.signal(SIGILL)
#else
private let trap = ExitTest.Condition.signal(SIGTRAP)
#endif
