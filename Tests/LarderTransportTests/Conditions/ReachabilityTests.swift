// Proves that captive portals are recognized and the server's reachability is probed once, within a limit.

import HTTPTypes
import LarderTesting
import LarderTransport
import Testing

@Suite struct `A captive portal` {
    @Test(
        arguments: [
            (511, nil), (511, "application/json"), (302, nil), (301, "text/html"), (307, "application/json"),
            (200, "text/html"), (200, "Text/HTML; charset=utf-8"), (200, " text/html ;x=y"),
            (203, "application/xhtml+xml"),
        ] as [(Int, String?)])
    func `is likely behind a sign-in answer`(status: Int, contentType: String?) {
        #expect(CaptivePortal.isLikely(status: status, contentType: contentType))
    }

    @Test(
        arguments: [
            (200, "application/json"), (200, nil), (204, nil), (304, nil), (200, "application/octet-stream"),
            (401, "application/json"), (404, "text/html"), (502, "text/html"), (503, nil), (200, ""),
            (200, "text/html5"), (0, nil), (-1, "text/html"), (999, "text/html"),
        ] as [(Int, String?)])
    func `is not seen in what servers and their gateways answer`(status: Int, contentType: String?) {
        #expect(!CaptivePortal.isLikely(status: status, contentType: contentType))
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A probe of the server` {
    private let base: BaseURL

    init() throws {
        base = BaseURL("https://content.example/base")
    }

    private func probe(_ transport: any Transport) -> HTTPReachabilityProbe {
        HTTPReachabilityProbe(transport: transport, base: base, path: "/api/v4/health", timeout: .seconds(3))
    }

    private func answers(_ status: Int, _ contentType: String?) async -> Bool {
        var headers = HTTPFields()
        headers[.contentType] = contentType
        let response = TransportResponse(status: .init(code: status), headers: headers, body: Array("<html>".utf8))
        return await probe(HandlerTransport { _, _ in response }).isReachable()
    }

    @Test func `finds it when it answers, an error among its answers`() async {
        #expect(await answers(200, "application/json"))
        #expect(await answers(401, "application/problem+json"))
        #expect(await answers(503, nil))
    }

    @Test func `does not mistake a portal for it`() async {
        #expect(await !answers(200, "text/html"))
        #expect(await !answers(302, nil))
        #expect(await !answers(511, "text/html"))
    }

    @Test(arguments: [
        TransportError.noConnection(reason: "no route"), .tls(reason: "certificate"), .connectionRefused,
        .connectionLost(reason: "reset"), .other(reason: "not HTTP"),
    ])
    func `does not find it when the exchange fails`(error: TransportError) async {
        let failing = HandlerTransport { (_, _) throws(TransportError) in throw error }
        #expect(await !probe(failing).isReachable())
    }

    @Test func `gives up after its time limit`() async {
        let clock = VirtualClock()
        let silent = ScriptedTransport(clock: clock) { _, _ in TransportResponse(status: .ok) }
        silent.plan(.stallBeforeHead, exchange: 0)
        async let isReachable = probe(silent).isReachable()
        await clock.sleepers(atLeast: 1)
        #expect(clock.nextDeadline == .init(offset: .seconds(3)))
        clock.advance(by: .seconds(3))
        #expect(await !isReachable)
    }

    @Test func `sends one request, as configured, past every cache on the way`() async throws {
        let server = ScriptedTransport(clock: VirtualClock()) { _, _ in TransportResponse(status: .ok) }
        var fields = HTTPFields()
        fields[.accept] = "application/vnd.content+json"
        let probe = HTTPReachabilityProbe(transport: server, base: base, path: "/health?deep=0", headers: fields)
        #expect(await probe.isReachable())
        let request = try #require(server.recorded.first?.request)
        #expect(server.recorded.count == 1)
        #expect(request.method == .get)
        #expect(request.path == "/base/health?deep=0")
        #expect(request.headerFields[.accept] == "application/vnd.content+json")
        #expect(request.headerFields[.cacheControl] == "no-cache")
    }

    @Test func `traps on a path that is none`() async {
        await #expect(processExitsWith: .failure) {
            let nowhere = HandlerTransport { _, _ in TransportResponse(status: .ok) }
            let base = BaseURL("https://content.example")
            _ = HTTPReachabilityProbe(transport: nowhere, base: base, path: "@evil.example/")
        }
    }
}
