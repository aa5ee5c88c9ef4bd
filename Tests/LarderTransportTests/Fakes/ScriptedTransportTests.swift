// Proves that a scripted transport applies its planned faults, and only those.

import HTTPTypes
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A scripted transport` {
    private let clock = VirtualClock()
    private let handled = Signal()

    /// Answers every request with the bytes 0 to 9, in two chunks.
    private var transport: ScriptedTransport {
        ScriptedTransport(clock: clock) { [handled] _, _ in
            handled.fire()
            return TransportResponse(
                head: HTTPResponse(status: .ok, headerFields: [.eTag: "a"]),
                body: TransportBody(chunks: [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]))
        }
    }

    private func request(_ path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "host", path: path)
    }

    @Test func `without a script is the transport below, and records the requests`() async throws {
        let transport = transport
        let answer = try await transport.send(request("/a"), body: [1], timeouts: TransportTimeouts())
        #expect(try await answer.body.collect(upTo: 10) == Array(0..<10))
        _ = try await transport.send(request("/b"))
        #expect(transport.lines == ["GET /a", "GET /b"])
        #expect(transport.recorded.map(\.number) == [0, 1])
        #expect(transport.recorded.map(\.body) == [[1], nil])
    }

    @Test func `fails the planned exchange and no other, without reaching the other side`() async throws {
        let transport = transport
        transport.plan(.fail(.connectionRefused), exchange: 1)
        _ = try await transport.send(request())
        #expect(await outcome { _ = try await transport.send(request()) } == .connectionRefused)
        #expect(handled.count == 1)
        _ = try await transport.send(request())
        #expect(transport.recorded.count == 3)
    }

    @Test func `loses a response after the other side has acted`() async throws {
        let transport = transport
        transport.plan(.loseResponse(.connectionLost(reason: "x")), exchange: 0)
        #expect(await outcome { _ = try await transport.send(request()) } == .connectionLost(reason: "x"))
        #expect(handled.count == 1)
    }

    @Test func `counts only matching requests of a plan for some`() async throws {
        let transport = transport
        transport.plan(.fail(.connectionRefused), after: 1, times: 2) { $0.path == "/a" }
        var failures: [String] = []
        for path in ["/a", "/b", "/a", "/b", "/a", "/a"] {
            if await outcome(of: { _ = try await transport.send(request(path)) }) != nil {
                failures.append(path)
            } else {
                failures.append("-")
            }
        }
        #expect(failures == ["-", "-", "/a", "-", "/a", "-"])
        transport.plan(.fail(.connectionRefused), exchange: 6)
        transport.plan(.fail(.connectionRefused)) { _ in true }
        transport.clearPlans()
        _ = try await transport.send(request())
    }

    @Test func `changes the head`() async throws {
        let transport = transport
        transport.plan(.status(.gone), .header(.eTag, nil), .header(.retryAfter, "5"), exchange: 0)
        let head = try await transport.send(request()).head
        #expect(head.status == .gone)
        #expect(head.headerFields[.eTag] == nil)
        #expect(head.headerFields[.retryAfter] == "5")
    }

    @Test(arguments: [0, 4, 5, 9, 10, 20])
    func `truncates a body without a word`(count: Int) async throws {
        let transport = transport
        transport.plan(.truncate(after: count), exchange: 0)
        #expect(try await transport.send(request()).body.collect(upTo: 10) == Array(0..<UInt8(min(count, 10))))
    }

    @Test(arguments: [0, 4, 5, 9, 10, 20])
    func `cuts the connection after so many bytes`(count: Int) async throws {
        let transport = transport
        transport.plan(.cut(after: count), exchange: 0)
        let body = try await transport.send(request()).body
        let read = Shared<[UInt8]>([])
        let error = await outcome { for try await chunk in body { read.withLock { $0 += chunk } } }
        #expect(error?.isConnectionLost == true)
        #expect(read.withLock { $0 } == Array(0..<UInt8(min(count, 10))))
    }

    @Test(arguments: 0..<10)
    func `flips one byte and leaves the rest`(position: Int) async throws {
        let transport = transport
        transport.plan(.flip(at: position, mask: 0x80), exchange: 0)
        var expected = Array<UInt8>(0..<10)
        expected[position] ^= 0x80
        #expect(try await transport.send(request()).body.collect(upTo: 10) == expected)
    }

    @Test(arguments: [1, 3, 10, 11])
    func `cuts the body into other chunks`(size: Int) async throws {
        let transport = transport
        transport.plan(.rechunk(size), exchange: 0)
        var chunks: [[UInt8]] = []
        for try await chunk in try await transport.send(request()).body { chunks.append(chunk) }
        #expect(chunks.flatMap { $0 } == Array(0..<10))
        #expect(chunks.dropLast().allSatisfy { $0.count == size })
    }

    @Test func `applies faults in their order`() async throws {
        let transport = transport
        transport.plan(.body([1, 2, 3]), .flip(at: 0), .truncate(after: 2), exchange: 0)
        #expect(try await transport.send(request()).body.collect(upTo: 10) == [0, 2])
    }

    @Test func `delays by its clock`() async throws {
        let transport = transport
        transport.plan(.delay(.seconds(5)), exchange: 0)
        let request = request()
        async let answer = transport.send(request)
        await clock.sleepers(atLeast: 1)
        #expect(handled.count == 0)
        clock.advance(by: .seconds(5))
        #expect(try await answer.head.status == .ok)
    }

    @Test func `stalls before the head until the limit`() async throws {
        let transport = transport
        transport.plan(.stallBeforeHead, exchange: 0)
        let request = request()
        async let error = outcome { _ = try await transport.send(request) }
        await clock.sleepers(atLeast: 1)
        #expect(handled.count == 1)
        clock.advance(by: .seconds(10))
        #expect(await error == .timeout(.head))
    }

    @Test func `stalls within the body until the limit`() async throws {
        let transport = transport
        transport.plan(.stall(after: 3), exchange: 0)
        let body = try await transport.send(request()).body
        #expect(try await body.makeAsyncIterator().next() == [0, 1, 2])
        async let error = outcome { _ = try await body.collect(upTo: 10) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30))
        #expect(await error == .timeout(.idle))
    }

    @Test(arguments: [Fault.delay(.seconds(1)), .stallBeforeHead, .stall(after: 0)])
    func `ends a wait when the task is cancelled`(fault: Fault) async throws {
        let transport = transport
        transport.plan(fault, exchange: 0)
        let request = request()
        let task = Task { await outcome { _ = try await transport.send(request).body.collect(upTo: 10) } }
        await clock.sleepers(atLeast: 1)
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test func `refuses what a real transport refuses`() async {
        let transport = transport
        let error = await outcome { _ = try await transport.send(request("@evil.test/")) }
        #expect(error?.isRetryable == false)
        #expect(handled.count == 0)
    }
}
