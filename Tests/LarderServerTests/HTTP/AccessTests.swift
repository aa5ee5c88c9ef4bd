// Proves that an origin checks credentials, limits requests and permits administration only where configured.

#if Server
import HTTPTypes
import LarderServer
import Synchronization
import Testing

@Suite struct `Access to an origin` {
    private let origin = Origin.sample()
    private let path = "/api/v4/resources/sync?resources=tafsirs:*&bootstrap=true"

    @Test func `needs both credentials where they are set`() async throws {
        let configuration = OriginConfiguration(credentials: .init(authToken: "t", clientID: "c"))
        try await OriginServer.run(origin, configuration) { base in
            let wrong = [[:], ["x-auth-token": "t"], ["x-client-id": "c"], ["x-auth-token": "T", "x-client-id": "c"]]
            for fields in wrong {
                for path in [path, "/api/v4/resources/snapshots/tafsirs/1", "/nowhere"] {
                    let answer = try await send("GET", base + path, fields: fields)
                    #expect(answer.status == 401)
                    #expect(answer.type == "unauthorized")
                    #expect(answer.fields["cache-control"] == "no-store")
                }
            }
            let answer = try await send("GET", base + path, fields: ["x-auth-token": "t", "x-client-id": "c"])
            #expect(answer.status == 200)
        }
    }

    @Test func `is limited for each client by itself, and for those above a number of clients together`() async throws {
        let time = Mutex(sampleTime)
        let origin = Origin(secret: TokenSecret(1, 2)) { time.withLock { $0 } }
        let configuration = OriginConfiguration(rateLimit: .init(requests: 2, seconds: 10, clients: 2))
        try await OriginServer.run(origin, configuration) { base in
            func statuses(_ client: String, _ count: Int) async throws -> [Int] {
                var statuses: [Int] = []
                for _ in 0..<count {
                    statuses.append(try await send("GET", base + path, fields: ["x-client-id": client]).status)
                }
                return statuses
            }
            let greedy = try await statuses("greedy", 3)
            #expect(greedy == [200, 200, 429])
            #expect(try await statuses("modest", 2) == [200, 200])
            // No further client is known: these share one window.
            #expect(try await statuses("third", 1) == [200])
            #expect(try await statuses("fourth", 2) == [200, 429])
            #expect(try await statuses("fifth", 1) == [429])
            time.withLock { $0 += 10_000 }
            #expect(try await statuses("fifth", 3) == [200, 200, 429])
            #expect(try await statuses("greedy", 3) == [200, 200, 429])
        }
    }

    @Test func `is limited by the host's name of a client where it gives one`() async throws {
        var configuration = OriginConfiguration(rateLimit: .init(requests: 1, seconds: 10))
        configuration.client = { request in request.path?.contains("tafsirs") == true ? "a" : "b" }
        try await OriginServer.run(origin, configuration) { base in
            for expected in [200, 429] { #expect(try await send("GET", base + path).status == expected) }
            let other = "/api/v4/resources/sync?resources=translations:*&bootstrap=true"
            let answer = try await send("GET", base + other)
            #expect(answer.status == 200)
        }
    }

    @Test func `is limited to a number of requests in a window of the given clock`() async throws {
        let time = Mutex(sampleTime)
        let origin = Origin(secret: TokenSecret(1, 2)) { time.withLock { $0 } }
        let configuration = OriginConfiguration(rateLimit: .init(requests: 2, seconds: 10))
        try await OriginServer.run(origin, configuration) { base in
            for expected in [200, 200, 429] {
                #expect(try await send("GET", base + path).status == expected)
            }
            time.withLock { $0 += 2500 }
            let refused = try await send("GET", base + path)
            #expect(refused.type == "rate_limit_exceeded")
            #expect(refused.fields["retry-after"] == "8")
            time.withLock { $0 += 7500 }
            for expected in [200, 200, 429] {
                #expect(try await send("GET", base + path).status == expected)
            }
        }
    }

    @Test(arguments: [
        (400, "invalid_request"), (401, "unauthorized"), (403, "forbidden"), (404, "not_found"),
        (429, "rate_limit_exceeded"), (500, "internal_server_error"), (502, "bad_gateway"),
        (503, "service_unavailable"), (504, "gateway_timeout"),
    ]) func `can be refused by the host with any status`(status: Int, type: String) async throws {
        let configuration = OriginConfiguration { request in
            request.path?.contains("/snapshots/") == true
                ? OriginProblem(status: status, message: "Not now", retryAfter: 30) : nil
        }
        try await OriginServer.run(origin, configuration) { base in
            let answer = try await send("GET", base + "/api/v4/resources/snapshots/tafsirs/1")
            #expect(answer.status == status)
            #expect(answer.type == type)
            #expect(answer.fields["retry-after"] == "30")
            #expect(try await send("GET", base + path).status == 200)
        }
    }

    @Test(arguments: [
        "/api/v4/resources", "/api/v4/resources/sync/", "/api/v4/resources/changes", "/api/v4/resources/snapshots/a",
        "/api/v4/resources/snapshots/tafsirs/1/x", "/api/v5/resources/sync", "/api//v4/resources/sync",
        "/admin/status", "/admin/invalidate-tokens", "/",
    ]) func `ends at paths that are none of the protocol`(path: String) async throws {
        try await OriginServer.run(origin) { base in
            let answer = try await send("GET", base + path)
            #expect(answer.status == 404)
            #expect(answer.type == "not_found")
        }
    }

    @Test func `is under the base path only`() async throws {
        try await OriginServer.run(origin, OriginConfiguration(basePath: "/a/b")) { base in
            #expect(base.hasSuffix("/a/b"))
            for (prefix, status) in [(base, 200), (String(base.dropLast(2)), 404), (base + "b", 404)] {
                let answer = try await send("GET", prefix + path)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `is for reading unless administration is allowed`() async throws {
        try await OriginServer.run(origin) { base in
            for method in ["POST", "PUT", "DELETE"] {
                for path in [path, "/admin/resources/tafsirs/1"] {
                    let answer = try await send(method, base + path)
                    #expect(answer.status == 404)
                }
            }
        }
        #expect(origin.sequence == 0)
    }
}
#endif
