// Proves that a slow snapshot does not block the snapshots of other filters.

import HTTPTypes
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import Synchronization
import Testing

@Suite("A slow snapshot", .timeLimit(.minutes(5)))
struct SlowSnapshotTests {
    /// Whether the rest of the body may come, and whether it was asked for.
    private struct Line {
        let rest = DeferredValue<Bool>()
        let requested = DeferredValue<Bool>()
    }

    /// Serves the snapshot of translation 19 in pieces: the next to last one comes after a pause, the last one when a test says so.
    private func transport(
        _ pieces: [[UInt8]], pause: Duration, _ line: Line, _ fixture: CoordinatorFixture
    ) -> HandlerTransport {
        let base = OriginTransport(fixture.origin)
        return HandlerTransport { (request, body) async throws(TransportError) in
            guard request.path?.hasSuffix("/snapshots/translations/19") == true else {
                return try await base.send(request, body: body, timeouts: TransportTimeouts())
            }
            let number = Mutex(0)
            let body = TransportBody { () async throws(TransportError) in
                let index = number.withLock { number in
                    defer { number += 1 }
                    return number
                }
                guard index < pieces.count else { return nil }
                if index == pieces.count - 2 { fixture.clock.advance(by: pause) }
                if index == pieces.count - 1 {
                    line.requested.fulfil(true)
                    if await line.rest.value() == nil { throw .cancelled }
                }
                return pieces[index]
            }
            return TransportResponse(head: .init(status: .ok), body: body)
        }
    }

    /// - Parameters:
    ///   - bytes: about how many the snapshot has. A small one is read before it writes, so it keeps no other one waiting; a large
    ///     one gives way when its turn of 20 s is over.
    @Test(arguments: [(200, Duration.zero), (3 << 20, .seconds(29))])
    func `does not block those of other filters`(_ bytes: Int, _ pause: Duration) async throws {
        let fixture = try CoordinatorFixture()
        try await fixture.origin.addTranslations(20, count: 3)
        let long = String(repeating: "x", count: bytes / 20)
        let id = Origin.ResourceID("translations", 19)
        try await fixture.origin.createResource(id, rows: Origin.translations(20, long))
        let body = Array(try await fixture.origin.snapshot(of: id).joined())
        let pieces = [Array(body.dropLast(2)), [body[body.count - 2]], [body[body.count - 1]]]
        let line = Line()
        let sync = ContentSync(
            store: fixture.store,
            transport: transport(pieces, pause: pause, line, fixture),
            configuration: SyncConfiguration(base: BaseURL("http://127.0.0.1/content")))
        let slow = Task { try await sync.sync(ResourceFilter("translations:19")) }
        await line.requested.value()
        let other = try await sync.sync(ResourceFilter("translations:20"))
        #expect(other.snapshotRows == 3)
        line.rest.fulfil(true)
        #expect(try await slow.value.snapshotBytes == body.count)
        var findings: [String] = []
        _ = try fixture.store.verify { findings.append("\($0)") }
        #expect(findings == [])
    }
}
