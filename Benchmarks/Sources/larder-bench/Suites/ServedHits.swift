// ServedHits: bodies of 1 MB out of `cachetool serve-client`, from a request's line to the end of its reply.

import Foundation
import HTTPTypes
import LarderHTTP
import LarderStore
import LarderTransport

/// Bodies of 1 MB out of `cachetool serve-client`, from a request's line to the end of its reply.
enum ServedHits {
    private static let address = "http://bench.test/catalogue"

    static func run(isQuick: Bool) async throws -> [Measurement] {
        guard let tool = ChildProcess.sibling("cachetool") else { return [] }
        let directory = try ScratchDirectory()
        let body = try await fill(directory.path("store"))
        let client = try Client(tool, store: directory.path("store"))
        let request = Array("{\"id\":1,\"url\":\"\(address)\"}\n".utf8)
        let reply = try JSONDecoder().decode(Reply.self, from: Data(try client.reply(to: request)))
        try expect(reply.status, 200, "the status of a reply")
        try expect(Array(reply.body.utf8), body, "the body of a reply")
        let length = try client.reply(to: request).count
        let hits = isQuick ? 20 : 200
        let measurement = try await Measurement.compare(
            "http", "hit of 1 MB, cachetool serve-client", unit: "ms", rounds: 9,
            [
                Contender(name: "Larder") {
                    var byteCount = 0
                    let time = try timed(hits) {
                        for _ in 0..<hits { byteCount += try client.reply(to: request).count }
                    }
                    try expect(byteCount, hits * length, "bytes of replies")
                    return time / 1e6
                }
            ])
        try client.end()
        return [measurement]
    }

    private struct Reply: Decodable {
        var status: Int
        var body: String
    }

    /// Stores a response of 1 MB of JSON. Returns its body.
    private static func fill(_ path: String) async throws -> [UInt8] {
        let items = ShopItems(count: 10_000)
        var body = Array("[".utf8)
        for row in 0..<items.count where body.count < 1 << 20 { body += items.payload(row) + [UInt8(ascii: ",")] }
        body[body.count - 1] = UInt8(ascii: "]")
        let store = try openStore(at: path)
        let cache = HTTPCache(
            transport: BodyServer(body: body), persistent: StoreResponseCache(store: store), services: .benchmark())
        guard let request = FetchRequest(address) else { throw PeerError.code(0) }
        _ = try await cache.fetch(request).value.body.bytes()
        await cache.close()
        try store.close()
        return body
    }

    /// A running `cachetool serve-client`.
    private final class Client {
        private let process: Process
        private let input = Pipe()
        private let output = Pipe()
        private var buffer = [UInt8](repeating: 0, count: 1 << 20)

        init(_ tool: String, store: String) throws {
            process = ChildProcess.process([tool, "serve-client", "--store", store])
            process.standardInput = input
            process.standardOutput = output
            try process.run()
        }

        /// Sends a line, and returns the line that comes back.
        func reply(to line: [UInt8]) throws -> [UInt8] {
            let written = write(input.fileHandleForWriting.fileDescriptor, line, line.count)
            try expect(written, line.count, "bytes of a request")
            var reply: [UInt8] = []
            while reply.last != UInt8(ascii: "\n") {
                let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                guard count > 0 else { throw PeerError.wrongResult("serve-client has ended") }
                reply += buffer[..<count]
            }
            return reply
        }

        func end() throws {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            try expect(process.terminationStatus, 0, "the exit status of serve-client")
        }
    }
}

/// A transport that has one body, fresh for a century.
private struct BodyServer: Transport {
    let body: [UInt8]

    func send(
        _ request: HTTPRequest, body: [UInt8]?, timeouts: TransportTimeouts
    ) async throws(TransportError) -> TransportResponse {
        TransportResponse(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "max-age=3153600000"],
            body: self.body)
    }
}
