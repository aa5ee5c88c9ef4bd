// Proves that no control or format character of a server's answer reaches the terminal, and none its log.
import Foundation
import LarderFormat
import LarderStore
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A hostile server` {
    /// ``Hostile/text`` within a JSON text, raw but for what JSON forbids.
    private static let inJSON = Hostile.text.unicodeScalars.map { scalar in
        scalar.value < 0x20 ? "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16) : "\(scalar)"
    }.joined()

    @Test(arguments: ["400 Bad Request", "500 Odd", "401 Odd", "429 Odd"])
    func `cannot reach the terminal through the code of an error`(status: String) throws {
        let server = try PlainServer { _, _ in
            plain(
                status, ["Content-Type: application/json"],
                "{\"error\":{\"code\":\"\(Self.inJSON)\",\"message\":\"\(Self.inJSON)\"}}")
        }
        let directory = TemporaryDirectory()
        let store = directory.path + "/store"
        for format in [[], ["--json"], ["--redact"]] {
            let arguments = ["sync", store, server.url("/c"), "a:*"] + format
            let outcome = try Tool.run(Tool.path, arguments)
            #expect(outcome.status == 4)
            Hostile.check(outcome, arguments)
            #expect(!outcome.errorOutput.contains("]0;t"))
        }
        let filters = try Tool.run("filters", store)
        Hostile.check(filters, ["filters"])
    }

    @Test func `cannot reach the terminal through the type of a change`() throws {
        let server = try PlainServer { _, _ in
            plain(
                "200 OK", ["Content-Type: application/json"],
                """
                {"sync":{"sync_until_sequence":2,"has_more":false,"next_page_url":null,"next_sync_token":"t",\
                "mutations":[{"sequence":1,"type":"\(Self.inJSON)","resource_group":"\(Self.inJSON)","resource_id":7,\
                "changed_at":"2026-05-05T10:05:00Z"}]}}
                """)
        }
        let directory = TemporaryDirectory()
        let filter = "a:*"
        for format in [[], ["--json"], ["--redact"]] {
            let arguments = ["sync", directory.path + "/store", server.url("/c"), filter] + format
            Hostile.check(try Tool.run(Tool.path, arguments), arguments)
        }
        let covered = try PlainServer { _, _ in
            plain(
                "200 OK", ["Content-Type: application/json"],
                """
                {"sync":{"sync_until_sequence":2,"has_more":false,"next_page_url":null,"next_sync_token":"t",\
                "mutations":[{"sequence":1,"type":"\(Self.inJSON)","resource_group":"a","resource_id":7,\
                "changed_at":"2026-05-05T10:05:00Z"}]}}
                """)
        }
        for format in [[], ["--redact"]] {
            let arguments = ["sync", directory.path + "/other\(format.count)", covered.url("/c"), filter] + format
            let outcome = try Tool.run(Tool.path, arguments)
            #expect(outcome.status == 0, "\(outcome.errorOutput)")
            Hostile.check(outcome, arguments)
            #expect(outcome.errorOutput.contains("unknown type"))
            #expect(!outcome.errorOutput.contains("]0;t"))
        }
    }

    @Test func `cannot reach the terminal through a response, except for its body`() throws {
        let server = try PlainServer { _, _ in
            var bytes = Array("HTTP/1.1 200 OK\r\nX-Odd: a".utf8)
            bytes += [0x9B, 0xC2, 0x9B, 0xE2, 0x80, 0xAE]
            let body = Array(Hostile.text.utf8)
            bytes += Array("\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n".utf8) + body
            return bytes
        }
        let json = ["fetch", server.url(), "--json", "--explain"]
        let outcome = try Tool.run(Tool.path, json)
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        Hostile.check(outcome, json, isJSON: true)
        #expect(try outcome.objects()[0]["body"] as? String == Hostile.text)
        #expect(try Tool.run("fetch", server.url()).output == bytes(Hostile.text))
        let reply = try Tool.run(
            Tool.path, ["serve-client"], input: bytes("{\"id\":1,\"url\":\"\(server.url())\"}\n"))
        Hostile.check(reply, ["serve-client"], isJSON: true)
        #expect(try reply.objects()[0]["body"] as? String == Hostile.text)
    }
}
