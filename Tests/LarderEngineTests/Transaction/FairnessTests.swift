// Proves that bulk work continues however many other writes are waiting.

import Foundation
import Synchronization
import Testing

@testable import LarderEngine

@Suite(.timeLimit(.minutes(5))) struct `Bulk work` {
    /// Counts what ran, and submits itself again and again, as tasks do that write in a loop.
    private final class Load: Sendable {
        /// A writer in a loop ends sometime, so that a test without progress ends too.
        static let limit = 2_000

        let environment: Environment
        let urgent = Atomic<Int>(0)
        /// How many other jobs had run when each bulk job did.
        let bulk = Mutex<[Int]>([])
        let ended = DispatchSemaphore(value: 0)

        init(_ environment: Environment) { self.environment = environment }

        func loop(until count: Int) {
            try? environment.onWriter {
                let run = self.urgent.add(1, ordering: .relaxed).newValue
                if run < Self.limit, self.bulk.withLock({ $0.count }) < count {
                    self.loop(until: count)
                } else {
                    self.ended.signal()
                }
            }
        }

        func submitBulk() {
            try? environment.onWriter(isBulk: true) {
                let before = self.urgent.load(ordering: .relaxed)
                self.bulk.withLock { $0.append(before) }
            }
        }
    }

    @Test func `runs after eight other jobs at the latest, and yields to them otherwise`() throws {
        let directory = TemporaryDirectory()
        let environment = try Environment.open(path: directory.path, options: .small)
        let load = Load(environment)
        let (began, barrier) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try environment.onWriter {
            began.signal()
            barrier.wait()
        }
        // Taken before any bulk job waited, so not one of the eight.
        began.wait()
        for _ in 0..<10 { load.submitBulk() }
        // Three that write in loops: there is always one waiting.
        for _ in 0..<3 { load.loop(until: 10) }
        barrier.signal()
        for _ in 0..<3 { load.ended.wait() }
        #expect(load.bulk.withLock { $0 } == (1...10).map { $0 * 8 })
        try environment.close()
    }
}
