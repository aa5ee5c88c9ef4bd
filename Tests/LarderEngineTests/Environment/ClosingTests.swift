// Proves that closing waits for reads and writes and disturbs none of them (pitfall P48).

import Foundation
import LarderEngine
import Synchronization
import Testing

/// Pitfall P48: closing while transactions or cursors live.
@Suite struct `Closing` {
    @Test func `in the midst of reads and writes disturbs none of them`() throws {
        let directory = TemporaryDirectory()
        let unexpected = Mutex<[String]>([])
        for _ in 0..<20 {
            let environment = try Environment.open(path: directory.path, options: .small)
            let started = DispatchSemaphore(value: 0)
            onThreads(7) { thread in
                if thread == 0 {
                    for _ in 1..<7 { started.wait() }
                    try? environment.close()
                    return
                }
                started.signal()
                do {
                    for round in 0... {
                        switch thread {
                        case 1: try environment.set([1], [UInt8(round & 255)], durability: .relaxed)
                        case 2:
                            let done = DispatchSemaphore(value: 0)
                            try environment.onWriter {
                                _ = try? environment.get([1])
                                done.signal()
                            }
                            done.wait()
                        case 3: _ = try environment.info()
                        case 4: try environment.clearStaleReaders()
                        default: _ = try environment.contents()
                        }
                    }
                } catch {
                    if error as? EngineError != .closed { unexpected.withLock { $0.append("\(error)") } }
                }
            }
        }
        #expect(unexpected.withLock { $0 } == [])
    }

    @Test func `finishes the writes that wait`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let table = environment.table("one")
        for number in 0..<50 {
            try environment.onWriter(isBulk: number % 2 == 0) {
                try? environment.transact(durability: .relaxed) { try $0.set([UInt8(number)], [1], in: table) }
            }
        }
        try environment.close()
        let reopened = try Environment.open(path: directory.path, options: .small)
        #expect(try reopened.contents().count == 50)
        try reopened.close()
    }

    @Test func `waits for a reader up to the given limit, and can be tried again`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let (entered, leave, left) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread {
            _ = try? environment.read { _ in
                entered.signal()
                leave.wait()
            }
            left.signal()
        }.start()
        entered.wait()
        #expect(throws: EngineError.busy) { try environment.close(within: 1) }
        #expect(try environment.get([1]) == nil)
        #expect(throws: EngineError.closed) { try environment.set([1], [1]) }
        // Threads made now may have the identifier of the writer thread, which has ended.
        onThreads(20) { _ in #expect(!environment.isInsideTransaction) }
        leave.signal()
        left.wait()
        try environment.close()
        #expect(throws: EngineError.closed) { try environment.get([1]) }
        #expect(throws: EngineError.closed) { try environment.info() }
        #expect(throws: EngineError.closed) { try environment.clearStaleReaders() }
        onThreads(20) { _ in #expect(throws: EngineError.closed) { try environment.set([1], [1]) } }
    }
}
