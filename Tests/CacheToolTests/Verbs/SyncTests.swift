// Proves that `cachetool sync` fills a store, watches for changes, and keeps its token through failures.

import Foundation
import LarderServer
import Synchronization
import Testing

@Suite struct `Syncing` {
    private static func rows(_ count: Int) -> [Origin.Row] {
        (1...count).map { Origin.Row(type: "translation", key: String($0), "{\"id\":\($0),\"text\":\"verse \($0)\"}") }
    }

    @Test func `fills a new store, then fetches what has changed`() throws {
        let server = try LoopbackServer()
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        _ = try server.origin.createResource(Origin.ResourceID("translations", 19), rows: Self.rows(500))
        let first = try Tool.run(
            "sync", store, server.url, "translations:*", "--json", "--header", "Authorization: Bearer hush")
        #expect(first.status == 0, "\(first.errorOutput)")
        let report = try #require(try first.objects().first)
        #expect(report["kind"] as? String == "bootstrap")
        #expect(report["snapshotRows"] as? Int == 500)
        #expect(first.errorOutput.contains("translations/19: snapshot of 500 rows"))
        #expect(!first.errorOutput.contains("hush") && !first.text.contains("hush"))
        #expect(server.requests.withLock { $0.allSatisfy { $0.contains("Bearer hush") } })
        _ = try server.origin.putRow(
            Origin.Row(type: "translation", key: "7", "{\"id\":7,\"text\":\"new\"}"),
            in: Origin.ResourceID("translations", 19))
        let second = try Tool.run("sync", store, server.url, "translations:*", "--redact")
        #expect(second.status == 0)
        #expect(second.text.hasPrefix("incremental: 1 changes"))
        #expect(!second.errorOutput.contains("translations"))
        #expect(try Tool.run("get", store, "translations/19", "translation", "7").text.contains("new"))
        #expect(try Tool.run("verify", store).text == "OK\n")
    }

    @Test func `continues with --watch and shows changes, until it is interrupted`() throws {
        let server = try LoopbackServer()
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        _ = try server.origin.createResource(Origin.ResourceID("translations", 19), rows: Self.rows(3))
        let watch = try WatchedTool(["sync", store, server.url, "translations:*", "--watch", "--every", "1"])
        func line(where isWanted: (String) -> Bool) throws -> String {
            for _ in 0..<50 {
                let line = try watch.line()
                if isWanted(line) { return line }
            }
            throw CancellationError()
        }
        let first = try line { $0.hasPrefix("translations:*: complete, 1 of 1 resources") }
        #expect(first.contains("as of 1,"))
        let change = try server.origin.putRow(
            Origin.Row(type: "translation", key: "2", "{\"id\":2,\"text\":\"new\"}"),
            in: Origin.ResourceID("translations", 19))
        let sequence = try #require(change)
        _ = try line { $0.contains("as of \(sequence),") }
        #expect(watch.interrupt() == 5)
        #expect(try Tool.run("get", store, "translations/19", "translation", "2").text.contains("new"))
        #expect(try Tool.run("verify", store).text == "OK\n")
    }

    @Test func `keeps the token when the server goes away, with status 4`() throws {
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        var server: LoopbackServer? = try LoopbackServer()
        let url = try #require(server?.url)
        _ = try server?.origin.createResource(Origin.ResourceID("translations", 19), rows: Self.rows(5))
        #expect(try Tool.run("sync", store, url, "translations:*").status == 0)
        let tokens = try Tool.run("tokens", store).text
        server = nil
        let other = try Tool.run("sync", store, "http://127.0.0.1:1", "translations:*")
        #expect(
            other.status == 64 && other.errorOutput.contains(url) && other.errorOutput.contains("http://127.0.0.1:1"))
        #expect(other.errorOutput.contains("--adopt"))
        let redacted = try Tool.run("sync", store, "http://127.0.0.1:1/hush", "translations:*", "--redact")
        #expect(redacted.status == 64 && !redacted.errorOutput.contains("127.0.0.1"))
        let outcome = try Tool.run("sync", store, "http://127.0.0.1:1", "translations:*", "--adopt")
        #expect(outcome.status == 4, "\(outcome.errorOutput)")
        #expect(outcome.errorOutput.contains("what was stored stays"))
        #expect(try Tool.run("tokens", store).text == tokens)
    }

    @Test func `ends with 3 when the response is malformed`() throws {
        let directory = TemporaryDirectory()
        let server = try LoopbackServer()
        // The origin answers other paths with an empty 404, which is no answer of the protocol's.
        let outcome = try Tool.run("sync", directory.path + "/store", server.url + "/deeper", "translations:*")
        #expect([3, 4].contains(outcome.status))
        #expect(!outcome.errorOutput.isEmpty)
    }

    @Test(arguments: [
        ["sync", "s", "ftp://x", "a:*"], ["sync", "s", "http://x", "a"], ["sync", "s", "http://x", "a:0"],
        ["sync", "s", "http://x", "a:*", "--header", "hush"],
        ["sync", "s", "http://x", "a:*", "--header", "a b: hush"],
    ])
    func `refuses wrong usage before anything is made, and quotes no header`(arguments: [String]) throws {
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        let outcome = try Tool.run(Tool.path, arguments.map { $0 == "s" ? store : $0 })
        #expect(outcome.status == 64)
        #expect(!outcome.errorOutput.contains("hush"))
        #expect(directory.names.isEmpty)
    }
}

@Suite struct `An interrupt` {
    @Test func `ends a run with 5, and the store is whole and has no token`() throws {
        let server = try LoopbackServer(isStalling: true)
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        let rows = (1...50).map { Origin.Row(type: "translation", key: String($0), "{\"id\":\($0)}") }
        _ = try server.origin.createResource(Origin.ResourceID("translations", 19), rows: rows)
        let status = try Tool.interrupt(["sync", store, server.url, "translations:*"]) { server.arrival.wait() }
        #expect(status == 5)
        #expect(try Tool.run("verify", store).text == "OK\n")
        #expect(try Tool.run("tokens", store).text.contains("\t-\t-\t"))
    }

    @Test func `ends a query with 5, however long it would take`() async throws {
        let sample = try await SampleStore()
        let statement = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
        #expect(try Tool.interrupt(["sql", sample.path, statement]) { usleep(1_000_000) } == 5)
    }

    @Test func `ends loading with 5 and leaves nothing`() async throws {
        let sample = try await SampleStore()
        let lines = try Tool.run("dump", sample.path).lines
        let half = bytes(lines.prefix(lines.count / 2).map { $0 + "\n" }.joined())
        let status = try Tool.interrupt(["load", "-", sample.sibling("copy")], input: half) {
            // The place aside is made once the tool is at work.
            while sample.directory.names.count < 2 { usleep(1000) }
        }
        #expect(status == 5)
        #expect(sample.directory.names == ["store"])
    }
}
