// Proves that what an app or a test prints of a store and of a wait is one line.

import Larder
import LarderStore
import Testing

@testable import LarderTesting

@Suite struct `A printed value` {
    @Test func `is one line for the statistics of a store`() async throws {
        let transport = ScriptedTransport(clock: VirtualClock())
        let cache = try await ContentCache.open(
            .temporary(), rows: [], services: .scripted(transport, clock: VirtualClock()))
        let statistics = try cache.store.statistics()
        #expect(
            statistics.description
                == "0 rows in 0 of 0 resources, 0 filters; no writes wait; \(statistics.storedSize) bytes of keys and values "
                + "in a file of \(statistics.fileSize) bytes; commit \(statistics.lastCommit)")
        try await cache.close()
    }

    @Test func `is whole seconds for a wait`() {
        let error = WaitExpired(what: "the note to be sent", waited: .milliseconds(1_954_142))
        #expect(error.description == "waited 1954 s of virtual time for the note to be sent, in vain")
    }
}
