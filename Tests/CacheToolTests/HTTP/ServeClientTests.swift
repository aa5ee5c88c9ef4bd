// Proves that `cachetool serve-client` sends requests through the cache and reports responses unchanged.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Serving a client` {
    @Test func `sends a request unchanged, and returns the response`() throws {
        let server = try PlainServer { _, _ in plain("201 Created", ["X-Odd: b", "X-Two: 1"], "made") }
        let tool = try ClientTool()
        let reply = try tool.roundTrip([
            "id": "one", "method": "POST", "url": server.url("/a?b=c#d"),
            "headers": [["X-Test", "a"], ["Accept", "text/x"]],
            "body": "käse",
        ])
        #expect(reply["id"] as? String == "one")
        #expect(reply["status"] as? Int == 201)
        #expect(reply["body"] as? String == "made")
        #expect(values("x-odd", reply) == ["b"])
        let request = try #require(server.requests.first)
        #expect(request.line == "POST /a?b=c HTTP/1.1")
        #expect(request.values("X-Test") == ["a"])
        #expect(request.values("Accept") == ["text/x"])
        #expect(request.values("Host") == ["127.0.0.1:\(server.port)"])
        #expect(String(decoding: request.body, as: UTF8.self) == "käse")
        #expect(try tool.finish() == 0)
    }

    @Test func `uses the cache`() throws {
        let server = try PlainServer { _, number in plain("200 OK", ["Cache-Control: max-age=600"], "answer \(number)")
        }
        let tool = try ClientTool()
        for id in 1...3 {
            let reply = try tool.roundTrip(["id": id, "url": server.url()])
            #expect(reply["id"] as? Int == id)
            #expect(reply["body"] as? String == "answer 1")
            #expect(values("age", reply).count == (id == 1 ? 0 : 1))
        }
        #expect(server.requests.count == 1)
    }

    @Test func `validates when the request says no-cache`() throws {
        let server = try PlainServer { request, _ in
            request.values("if-none-match") == ["\"1\""]
                ? Array("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nX-New: yes\r\nConnection: close\r\n\r\n".utf8)
                : plain("200 OK", ["Cache-Control: max-age=600", "ETag: \"1\""])
        }
        let tool = try ClientTool()
        _ = try tool.roundTrip(["id": 1, "url": server.url()])
        let reply = try tool.roundTrip(["id": 2, "url": server.url(), "cache": "no-cache"])
        #expect(reply["status"] as? Int == 200)
        #expect(reply["body"] as? String == "hello")
        #expect(values("x-new", reply) == ["yes"])
        #expect(server.requests.count == 2)
    }

    @Test func `supports the cache modes of fetch`() throws {
        let server = try PlainServer { _, number in plain("200 OK", ["Cache-Control: max-age=0"], "answer \(number)") }
        let tool = try ClientTool()
        func fetch(_ mode: String) throws -> String? {
            let reply = try tool.roundTrip(["url": server.url(), "cache": mode])
            return reply["body"] as? String ?? (reply["error"] as? [String: String])?["name"]
        }
        #expect(try fetch("only-if-cached") == "NotCached")
        #expect(try fetch("no-store") == "answer 1")
        #expect(try fetch("only-if-cached") == "NotCached")
        #expect(try fetch("default") == "answer 2")
        #expect(try fetch("only-if-cached") == "answer 2")
        #expect(try fetch("force-cache") == "answer 2")
        #expect(try fetch("reload") == "answer 3")
        #expect(try fetch("force-cache") == "answer 3")
        #expect(try fetch("odd") == "InvalidRequest")
    }

    @Test func `follows no redirect, and returns unsuccessful responses`() throws {
        let server = try PlainServer { request, _ in
            request.line.contains("/moved") ? plain("302 Found", ["Location: /a"], "moved") : plain("404 Not Found")
        }
        let tool = try ClientTool()
        let moved = try tool.roundTrip(["url": server.url("/moved")])
        #expect(moved["status"] as? Int == 302)
        #expect(values("location", moved) == ["/a"])
        #expect(try tool.roundTrip(["url": server.url()])["status"] as? Int == 404)
        #expect(server.requests.count == 2)
    }

    @Test func `reports the failure when no server listens, or the line is no request`() throws {
        let tool = try ClientTool()
        func name(_ reply: [String: Any]) -> String? { (reply["error"] as? [String: String])?["name"] }
        let dead = try tool.roundTrip(["id": 7, "url": "http://127.0.0.1:1/", "timeout": 5])
        #expect(dead["id"] as? Int == 7)
        #expect(name(dead) == "NoConnection")
        #expect(name(try tool.roundTrip(["id": 8, "url": "nonsense"])) == "InvalidRequest")
        try tool.send(line: Array("{".utf8))
        #expect(name(try tool.reply()) == "InvalidRequest")
        #expect(try tool.finish() == 0)
    }

    @Test func `skips blank lines, and accepts a last line without a terminator`() throws {
        let server = try PlainServer { _, _ in plain() }
        let input = "\n \r\n{\"id\":1,\"url\":\"\(server.url())\"}\n\n{\"id\":2,\"url\":\"\(server.url("/b"))\"}"
        let outcome = try Tool.run("serve-client", input: Array(input.utf8))
        #expect(outcome.status == 0)
        #expect(Set(try outcome.objects().compactMap { $0["id"] as? Int }) == [1, 2])
    }

    @Test func `gives up after the time limit`() throws {
        let server = try PlainServer { _, _ in
            Thread.sleep(forTimeInterval: 30)
            return []
        }
        let tool = try ClientTool()
        let reply = try tool.roundTrip(["id": 1, "url": server.url(), "timeout": 0.2])
        #expect((reply["error"] as? [String: String])?["name"] == "Timeout")
    }

    @Test func `runs requests at the same time, and ends with its input`() throws {
        let server = try PlainServer { request, _ in
            if request.line.contains("slow") { Thread.sleep(forTimeInterval: 0.5) }
            return plain("200 OK", [], request.line)
        }
        let tool = try ClientTool()
        try tool.send(["id": "slow", "url": server.url("/slow")])
        try tool.send(["id": "quick", "url": server.url("/quick")])
        #expect(try tool.reply()["id"] as? String == "quick")
        #expect(try tool.reply()["id"] as? String == "slow")
        #expect(try tool.finish() == 0)
    }

    @Test func `caches in a store`() throws {
        let server = try PlainServer { _, number in plain("200 OK", ["Cache-Control: max-age=600"], "answer \(number)")
        }
        let directory = TemporaryDirectory()
        for _ in 0..<2 {
            let tool = try ClientTool("--store", directory.path + "/store")
            #expect(try tool.roundTrip(["url": server.url()])["body"] as? String == "answer 1")
            #expect(try tool.finish() == 0)
        }
        #expect(try Tool.run("verify", directory.path + "/store").text == "OK\n")
    }

    #if AsyncHTTPClient
    @Test func `changes no byte of a header field, and adds none`() throws {
        let server = try PlainServer { _, _ in
            var bytes = Array("HTTP/1.1 200 OK\r\nX-Latin: caf".utf8)
            bytes += [0xE9, 0xF4, 0x8F]
            bytes += Array("\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-UTF: caf".utf8) + Array("é".utf8)
            return bytes + Array("\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
        }
        let tool = try ClientTool()
        let reply = try tool.roundTrip([
            "url": server.url(),
            "headers": [["X-Latin", "caf\u{E9}\u{F4}\u{8F}\u{BE}\u{80}"], ["X-Twice", "1"], ["X-Twice", "2"]],
        ])
        #expect(values("x-latin", reply) == ["caf\u{E9}\u{F4}\u{8F}"])
        #expect(values("set-cookie", reply) == ["a=1", "b=2"])
        #expect(values("x-utf", reply) == ["caf\u{C3}\u{A9}"])
        let request = try #require(server.requests.first)
        let latin = Array("X-Latin: caf".utf8) + [0xE9, 0xF4, 0x8F, 0xBE, 0x80, 0x0D, 0x0A]
        #expect(request.head.contains(latin))
        #expect(request.values("x-twice") == ["1", "2"])
        let names = request.text.split(separator: "\r\n").dropFirst().compactMap {
            $0.split(separator: ":").first?.lowercased()
        }
        #expect(Set(names).subtracting(["host", "x-latin", "x-twice"]).isSubset(of: ["connection"]))
    }

    @Test func `decodes nothing`() throws {
        let server = try PlainServer { _, _ in
            Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nConnection: close\r\n\r\n".utf8)
                + [0x1F, 0x8B, 0xFF]
        }
        let tool = try ClientTool()
        let reply = try tool.roundTrip(["url": server.url()])
        #expect(reply["body_b64"] as? String == Data([0x1F, 0x8B, 0xFF]).base64EncodedString())
        #expect(values("content-encoding", reply) == ["gzip"])
    }
    #endif
}
