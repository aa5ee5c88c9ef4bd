// Proves that `cachetool fetch` prints bodies through the cache, and explains in plain words.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Fetching` {
    @Test func `prints the body, caches it, and explains in plain words`() throws {
        let server = try PlainServer { _, number in
            plain("200 OK", ["Cache-Control: max-age=600", "ETag: \"1\""], "answer \(number)")
        }
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        let first = try Tool.run("fetch", server.url(), "--store", store, "--explain", "--header", "X-Secret: hush")
        #expect(first.status == 0, "\(first.errorOutput)")
        #expect(first.text == "answer 1")
        #expect(first.errorOutput.contains("200 from the server\n"))
        #expect(first.errorOutput.contains("freshness: fresh until "))
        #expect(!first.errorOutput.contains("hush"))
        #expect(server.requests.first?.values("x-secret") == ["hush"])
        let second = try Tool.run("fetch", server.url(), "--store", store, "--explain")
        #expect(second.text == "answer 1")
        #expect(second.errorOutput.contains("200 from the cache\n"))
        #expect(second.errorOutput.contains("age: "))
        #expect(server.requests.count == 1)
        #expect(try Tool.run("verify", store).text == "OK\n")
    }

    @Test func `serves an expired response while offline, and reports it`() throws {
        let server = try PlainServer { _, _ in plain("200 OK", ["Cache-Control: max-age=0"]) }
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        #expect(try Tool.run("fetch", server.url(), "--store", store).status == 0)
        let offline = try Tool.run(
            "fetch", server.url(), "--store", store, "--offline", "--strategy", "stale-if-offline", "--explain",
            "--json")
        #expect(offline.status == 0)
        let object = try #require(try offline.objects().first)
        #expect(object["body"] as? String == "hello")
        #expect(object["state"] as? String == "expiredServedOffline")
        #expect(object["origin"] as? String == "cache")
        #expect(offline.errorOutput.contains("served for want of the server"))
        #expect(try Tool.run("fetch", server.url(), "--store", store, "--offline").status == 4)
        #expect(server.requests.count == 1)
    }

    @Test func `writes the body to a file, and exits by the response`() throws {
        let server = try PlainServer { request, _ in
            request.line.contains("missing") ? plain("404 Not Found", [], "none") : plain()
        }
        let directory = TemporaryDirectory()
        let file = directory.path + "/body"
        #expect(try Tool.run("fetch", server.url(), "--output", file).text == "")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "hello")
        let missing = try Tool.run("fetch", server.url("/missing"))
        #expect(missing.status == 4)
        #expect(missing.text == "none")
        #expect(try Tool.run("fetch", server.url(), "--strategy", "cache-only").status == 1)
        #expect(try Tool.run("fetch", "http://127.0.0.1:1/").status == 4)
        #expect(try Tool.run("fetch", server.url(), "--head").text == "")
    }

    @Test(arguments: [
        ["fetch", "ftp://x"], ["fetch", "http://x", "--strategy", "odd"], ["fetch", "http://x", "--header", "hush"],
        ["fetch", "http://x", "--within", "3"], ["fetch", "http://x", "--json", "--output", "f"],
    ])
    func `refuses wrong usage`(arguments: [String]) throws {
        let outcome = try Tool.run(Tool.path, arguments)
        #expect(outcome.status == 64)
        #expect(!outcome.errorOutput.contains("hush"))
    }
}
