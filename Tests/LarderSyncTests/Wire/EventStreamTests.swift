// Proves that server-sent events are read as the HTML Standard defines them, however they are cut into chunks.

import Testing

@testable import LarderSync

@Suite("A stream of events")
struct EventStreamTests {
    private func events(_ text: String, in size: Int = .max) throws -> [String] {
        var stream = EventStream()
        var found: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(size))
            rest = rest.dropFirst(size)
            found += try stream.events(in: chunk).map { "\($0.id)|\($0.data)" }
        }
        return found
    }

    @Test(arguments: [
        ("id: 7\nevent: change\ndata: a:1\n\n", ["7|a:1"]),
        ("id: 7\ndata: a:1\n\ndata: b:2\n\n", ["7|a:1", "7|b:2"]),
        ("data:a:1\n\n", ["|a:1"]), ("data:  a\n\n", ["| a"]), ("data\n\n", ["|"]),
        ("data: a\ndata: b\n\n", ["|a\nb"]),
        (":\n\n: text\n\nid: 3\n\n", []), ("retry: 5\nunknown: x\ndata: a\n\n", ["|a"]),
        ("id: 1\u{0}\ndata: a\n\n", ["|a"]), ("data: a", []), ("data: a\n", []),
        ("\u{FEFF}data: a\n\n", ["|a"]), ("data: a\n\n\u{FEFF}data: b\n\n", ["|a"]),
    ])
    func `is read line by line`(text: String, expected: [String]) throws {
        for ending in ["\n", "\r", "\r\n"] {
            let text = text.replacing("\n", with: ending)
            let expected = expected.map { $0 }
            for size in [1, 2, 3, 5, 1000] { #expect(try events(text, in: size) == expected, "\(text) by \(size)") }
        }
    }

    @Test func `is refused where a line or an event has no end`() {
        var stream = EventStream()
        #expect(throws: WireError.tooLarge(path: "event", limit: EventStream.longest)) {
            _ = try stream.events(in: [UInt8](repeating: 0x61, count: EventStream.longest + 1))
        }
        var other = EventStream()
        #expect(throws: WireError.tooLarge(path: "event", limit: EventStream.longest)) {
            for _ in 0..<100 {
                _ = try other.events(in: Array(("data: " + String(repeating: "a", count: 1000) + "\n").utf8))
            }
        }
        var empty = EventStream()
        #expect(throws: WireError.tooLarge(path: "event", limit: EventStream.longest)) {
            for _ in 0..<100_000 { _ = try empty.events(in: Array("data\n".utf8)) }
        }
    }

    @Test func `is requested for as many filters as fit into a path`() {
        let few = EventsRequest(["a:*", "b:1,2"], after: 7)
        #expect(few.path.text == "/api/v4/resources/events?after=7&resources=a%3A%2A&resources=b%3A1%2C2")
        let long = (1...400).map { "group-with-a-name:\($0)" }
        let request = EventsRequest(long, after: .max)
        #expect(request.path.text.utf8.count <= EventsRequest.longestPath && request.filters.count > 50)
        #expect(request.filters == Array(long.prefix(request.filters.count)))
        #expect(EventsRequest((1...400).map { "a:\($0)" }, after: 0).filters.count == EventsRequest.mostFilters)
    }
}
