// Proves that malformed or hostile response heads are errors in every adapter.

import HTTPTypes
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A hostile answer` {
    /// What comes of a request to a server that writes with `answer` and then closes.
    private func outcome(
        _ adapter: Adapter, limit: Int = 1 << 20, timeouts: TransportTimeouts = patient,
        _ answer: @escaping @Sendable (RawConnection) -> Void
    ) async throws -> Result<(status: Int, body: [UInt8]), TransportError> {
        let server = try RawServer { server, connection in
            guard server.next(on: connection) != nil else { return }
            answer(connection)
            connection.finish()
        }
        do throws(TransportError) {
            let response = try await adapter.transport().send(server.request(), body: nil, timeouts: timeouts)
            return .success((response.head.status.code, try await response.body.collect(upTo: limit)))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            "10,000 fields", "one field of 10 MB", "10 MB of fields", "a status line of 10 MB",
        ])
    func `with a head beyond measure is an error`(adapter: Adapter, kind: String) async throws {
        let result = try await outcome(adapter) { connection in
            connection.send(kind.hasPrefix("a status") ? "HTTP/1.1 200 " : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            switch kind {
            case "10,000 fields":
                for number in 0..<10_000 { connection.send("X-\(number): a\r\n") }
            case "10 MB of fields":
                let value = String(repeating: "a", count: 50_000)
                for number in 0..<200 { connection.send("X-\(number): \(value)\r\n") }
            default:
                connection.send(kind.hasPrefix("one") ? "X: " : "")
                let piece = [UInt8](repeating: 0x61, count: 100_000)
                for _ in 0..<100 { if !connection.send(piece) { break } }
                connection.send("\r\n")
            }
            connection.send("\r\n")
        }
        switch result {
        case .failure(let error): #expect(error.isRetryable, "\(error)")
        // What is passed over while it is read, or is few enough bytes in all, may be taken.
        case .success: #expect(kind == (adapter == .urlSession ? "10,000 fields" : "a status line of 10 MB"))
        }
    }

    @Test(
        arguments: Adapter.allCases,
        [
            "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 -200 OK", "HTTP/1.1 abc OK",
            "HTTP/9.9 200 OK", "HTTP/1.1 000 None", "HTTP/1.1\t200\tOK", "XTTP/1.1 200 OK", "200 OK", "\u{0}\u{1}\u{2}",
            "",
            "HTTP/1.1 99999999999999999999 OK",
        ])
    func `with a status line that is none is an error, or a status of three digits`(
        adapter: Adapter, line: String
    ) async throws {
        switch try await outcome(adapter, { $0.send("\(line)\r\nContent-Length: 2\r\n\r\nok") }) {
        case .failure(let error): #expect(error != .cancelled)
        case .success(let answer): #expect((100...999).contains(answer.status), "\(answer)")
        }
    }

    /// A status below 100 with a body is what the client below would end the process for.
    @Test(
        arguments: Adapter.allCases,
        [
            "000 None", "001 None", "099 None", "100 Continue", "101 Switching Protocols", "103 Early Hints",
            "199 None",
        ])
    func `that is none of a final one, with a body all the same, is an error`(
        adapter: Adapter, status: String
    ) async throws {
        for framing in ["Content-Length: 2\r\n\r\nok", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"] {
            let result = try await outcome(adapter) { $0.send("HTTP/1.1 \(status)\r\n\(framing)") }
            guard case .failure(let error) = result else { return #expect(Bool(false), "\(result)") }
            #expect(error.isRetryable, "\(error)")
        }
    }

    @Test(arguments: Adapter.allCases, ["100 Continue", "102 Processing", "103 Early Hints"])
    func `that follows an interim one is the one that counts`(adapter: Adapter, status: String) async throws {
        let interim = "HTTP/1.1 \(status)\r\nLink: </x>\r\n\r\n"
        let result = try await outcome(adapter) { connection in
            connection.send(interim + interim)
            connection.send(response(body: "final"))
        }
        #expect(try result.get().status == 200)
        #expect(try result.get().body == Array("final".utf8))
    }

    @Test(arguments: Adapter.allCases)
    func `whose trailers have no end is an error`(adapter: Adapter) async throws {
        let limits = TransportTimeouts(connect: .seconds(60), head: .seconds(60), idle: .seconds(2))
        let trailers = Array(String(repeating: "X: \(String(repeating: "a", count: 50))\r\n", count: 1000).utf8)
        let result = try await outcome(adapter, timeouts: limits) { connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n")
            // On Linux the session takes each of them longer than the one before.
            for _ in 0..<(adapter == .urlSession ? 5 : 1000) { if !connection.send(trailers) { break } }
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "\(result)") }
        #expect(error.isRetryable, "\(error)")
    }

    @Test(arguments: Adapter.allCases)
    func `that begins with interim answers without end is left when its head is due`(adapter: Adapter) async throws {
        let limits = TransportTimeouts(connect: .seconds(60), head: .seconds(1), idle: .seconds(60))
        let result = try await outcome(adapter, timeouts: limits) { connection in
            while connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") {}
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "an answer") }
        #expect(error == .timeout(.head) || error.isRetryable, "\(error)")
    }

    @Test(
        arguments: Adapter.allCases,
        [
            "zz\r\nfirst\r\n0\r\n\r\n", "-5\r\nfirst\r\n0\r\n\r\n", "ffffffffffffffffff\r\nfirst\r\n0\r\n\r\n",
            "5\r\nfirstsecond\r\n0\r\n\r\n", "5first\r\n0\r\n\r\n", "\r\nfirst\r\n0\r\n\r\n",
            "0x5\r\nfirst\r\n0\r\n\r\n",
            "7fffffffffffffff\r\nfirst\r\n",
        ])
    func `whose chunks lie is an error, never a body that looks whole`(adapter: Adapter, body: String) async throws {
        let result = try await outcome(adapter) { connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
        }
        guard case .failure(let error) = result else { return #expect(Bool(false), "\(result)") }
        #expect(error.isRetryable, "\(error)")
    }

    @Test(
        arguments: Adapter.allCases,
        [
            ["Content-Length: 99999999999999999999999"], ["Content-Length: 1000000"],
            ["Content-Length: 2", "Content-Length: 100"],
            ["Content-Length: abc"], ["Content-Length: -1"], ["Content-Length: 9223372036854775807"],
        ])
    func `whose length is a lie is an error, or ends with its connection`(
        adapter: Adapter, fields: [String]
    ) async throws {
        #if canImport(FoundationNetworking)
        // Ends the process inside the session: nothing that an adapter could prevent, see its documentation.
        if adapter == .urlSession, fields == ["Content-Length: 9223372036854775807"] { return }
        #endif
        let text = (["HTTP/1.1 200 OK"] + fields + ["Connection: close", "", "ok"]).joined(separator: "\r\n")
        switch try await outcome(adapter, { $0.send(text) }) {
        case .failure(let error): #expect(error.isRetryable, "\(error)")
        // A length that is no number, or contradicts another, can be passed over: then the end of the connection counts.
        case .success(let answer): #expect(answer.body == Array("ok".utf8), "\(answer)")
        }
    }

    @Test(arguments: Adapter.allCases, ["301", "302", "303", "307", "308"])
    func `that redirects to another host sends nothing there`(adapter: Adapter, status: String) async throws {
        let evil = try RawServer { _ in response() }
        let server = try RawServer { [port = evil.port] _ in
            response("\(status) Moved", fields: ["Location: http://127.0.0.1:\(port)/"], body: "moved")
        }
        let answer = try await adapter.transport().send(
            server.request(headers: [.authorization: "Bearer x", .cookie: "a=b"]), timeouts: patient)
        #expect(answer.head.status.code == Int(status))
        #expect(try await answer.body.collect(upTo: 100) == Array("moved".utf8))
        #expect(evil.received.count == 0)
    }
}
