// Proves that threads which meet an unchecked page together all find it sound.

import LarderEngine
import Synchronization
import Testing

@Suite(.serialized) struct `Pages that threads check together` {
    @Test func `are sound for each of them`() throws {
        let store = try GuardedStore(seed: 10)
        let rows = store.rows
        let unexpected = Mutex<Set<String>>([])
        for _ in 0..<60 {
            let environment = try Environment.open(path: store.path, options: GuardedStore.options(.readOnly))
            let waiting = Atomic<Int>(6)
            onThreads(6) { _ in
                waiting.subtract(1, ordering: .acquiringAndReleasing)
                while waiting.load(ordering: .acquiring) > 0 {}
                do {
                    for table in GuardedStore.tables {
                        for row in rows[table] ?? [] where try environment.get(row.key, in: table) != row.value {
                            unexpected.withLock { _ = $0.insert("another value in \(table)") }
                        }
                    }
                } catch {
                    unexpected.withLock { _ = $0.insert("\(error)") }
                }
            }
            try environment.close()
        }
        #expect(unexpected.withLock { $0 } == [])
    }
}
