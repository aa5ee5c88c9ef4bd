// Proves that a snapshot is parsed record by record in any chunks, and refused with an error when malformed.

import LarderJSON
import LarderSync
import Testing

/// One record as a parser handed it on.
private struct Row: Equatable {
    let bytes: String
    let id: JSONScalar?
}

extension SnapshotParser {
    /// Feeds a chunk, and hands each record that ends in it to `body`.
    fileprivate mutating func feed(
        _ chunk: [UInt8], _ body: (borrowing CapturedRecord) -> Void = { _ in }
    ) throws(WireError) {
        var position = 0
        while try next(in: chunk, at: &position) { body(record) }
    }
}

private func parse(
    _ chunks: [[UInt8]], capturing names: [String] = [], recordLimit: Int = SnapshotParser.maximumRecord
) throws(WireError) -> (rows: [Row], header: SnapshotHeader) {
    var parser = SnapshotParser(capturing: names, recordLimit: recordLimit)
    var rows: [Row] = []
    for chunk in chunks {
        try parser.feed(chunk) { record in
            rows.append(Row(bytes: String(decoding: record.bytes, as: UTF8.self), id: record.fields["id"]))
        }
    }
    return (rows, try parser.finish())
}

private func refusal(_ text: String, recordLimit: Int = SnapshotParser.maximumRecord) -> WireError? {
    do throws(WireError) {
        _ = try parse([Array(text.utf8)], recordLimit: recordLimit)
        return nil
    } catch {
        return error
    }
}

private let head = #""resource_group":"translations","resource_id":19,"schema_version":1,"sync_sequence":5010"#

@Suite struct `A snapshot body` {
    private let sample = """
        {"new": {"records": [{}]}, "resource_group": "translations", "records": [ {"id": 85108, "text": "}]\\"ا"},
        {"id":"x", "a":{"id":[1,{"id":2}]} , "é":null} ,{} ], "resource_id": 19, "resource_content_id": null,
        "schema_version": 1, "sync_sequence": 5010, "extra": [[], 1.5e9]}
        """
    private let rows = [
        Row(bytes: #"{"id": 85108, "text": "}]\"ا"}"#, id: .integer(85108)),
        Row(bytes: #"{"id":"x", "a":{"id":[1,{"id":2}]} , "é":null}"#, id: .string("x")),
        Row(bytes: "{}", id: nil),
    ]
    private let header = SnapshotHeader(
        group: "translations", id: 19, contentID: nil, schemaVersion: 1, sequence: 5010, recordCount: 3)

    @Test func `that never ends is refused at the limit of the body`() throws {
        for piece in [" ", "1", "\"a\":[1,2],"] {
            var parser = SnapshotParser(bodyLimit: 10_000)
            let begin = piece == " " ? "{" : piece == "1" ? "{\"x\":" : "{\"x\":1,"
            let chunk = Array(String(repeating: piece, count: 100).utf8)
            var fed = 0
            #expect(throws: WireError.tooLarge(path: "", limit: 10_000)) {
                try parser.feed(Array(begin.utf8))
                while fed < 1 << 20 {
                    fed += chunk.count
                    try parser.feed(chunk)
                }
            }
            #expect(fed <= 10_000 + chunk.count)
        }
    }

    @Test func `yields each record as it stands on the wire, wherever it is split`() throws {
        let bytes = Array(sample.utf8)
        for split in 0...bytes.count {
            let (rows, header) = try parse([Array(bytes[..<split]), Array(bytes[split...])])
            #expect(rows == self.rows && header == self.header, "split at \(split)")
        }
        let (rows, header) = try parse(bytes.map { [$0] })
        #expect(rows == self.rows && header == self.header)
    }

    @Test func `that is cut off anywhere is refused`() {
        let bytes = Array(sample.utf8)
        for length in bytes.indices {
            #expect(throws: WireError.json(JSONError(.unexpectedEnd, at: Int64(length)))) {
                try parse([Array(bytes[..<length])])
            }
        }
    }

    @Test func `with any flipped bit is an error or valid JSON`() {
        let bytes = Array(sample.utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                guard let (rows, header) = try? parse([flipped]) else { continue }
                #expect(header.recordCount == rows.count && rows.count == 3, "byte \(index), bit \(bit)")
                let areJSON = rows.allSatisfy { JSONText.isValue(Array($0.bytes.utf8).span) }
                #expect(areJSON)
            }
        }
    }

    @Test func `without records is empty`() throws {
        let (rows, header) = try parse([Array("{\(head),\"resource_content_id\":7,\"records\":[]}".utf8)])
        #expect(rows.isEmpty && header.contentID == 7 && header.recordCount == 0)
    }

    @Test(arguments: [
        ("1", WireError.wrongType(path: "", expected: .object)), ("[]", .wrongType(path: "", expected: .object)),
        ("{}", .missing(path: "resource_group")), ("{\(head)}", .missing(path: "records")),
        ("{\(head),\"records\":{}}", .wrongType(path: "records", expected: .array)),
        ("{\(head),\"records\":null}", .missing(path: "records")),
        ("{\(head),\"records\":[{},1]}", .wrongType(path: "records[1]", expected: .object)),
        ("{\(head),\"records\":[[]]}", .wrongType(path: "records[0]", expected: .object)),
        ("{\(head),\"records\":[],\"records\":[]}", .duplicate(path: "records")),
        ("{\(head),\"records\":[],\"sync_sequence\":1}", .duplicate(path: "sync_sequence")),
        ("{\(head),\"records\":[{\"id\":1,\"id\":1}]}", .duplicate(path: "records[0].id")),
        ("{\(head),\"records\":[{\"id\":1,\"\\u0069d\":1}]}", .duplicate(path: "records[0].id")),
        ("{\"resource_id\":\"19\"}", .wrongType(path: "resource_id", expected: .integer)),
        ("{\"resource_id\":1.0}", .wrongType(path: "resource_id", expected: .integer)),
        ("{\"resource_id\":[1]}", .wrongType(path: "resource_id", expected: .integer)),
        ("{\"resource_id\":0}", .outOfRange(path: "resource_id")),
        ("{\"sync_sequence\":-1}", .outOfRange(path: "sync_sequence")),
        ("{\"sync_sequence\":null}", .missing(path: "sync_sequence")),
        ("{\"resource_group\":5}", .wrongType(path: "resource_group", expected: .string)),
        ("{\"resource_group\":\"\"}", .empty(path: "resource_group")),
        ("{\(head),\"records\":[]} x", .json(JSONError(.trailingBytes, at: 104))),
        ("<html>", .json(JSONError(.unexpectedByte, at: 0))),
    ])
    func `that breaks a rule is refused by name`(text: String, error: WireError) {
        #expect(refusal(text) == error)
    }

    @Test func `holds no record beyond the limit, however it is split`() throws {
        let text = "{\(head),\"records\":[{\"id\":12}]}"
        #expect(refusal(text, recordLimit: 9) == nil)
        #expect(refusal(text, recordLimit: 8) == .tooLarge(path: "records[0]", limit: 8))
        #expect(throws: WireError.tooLarge(path: "records[0]", limit: 8)) {
            try parse(text.utf8.map { [$0] }, recordLimit: 8)
        }
    }

    @Test func `yields the further members that a mapping asks for`() throws {
        var parser = SnapshotParser(capturing: ["lang", "article_id", "id", "flag"])
        var position = 0
        let text = Array(
            #"{"records":[{"article_id":-7,"lang":"\u0061r","flag":true,"other":"lang"},{"lang":null}]}"#.utf8)
        #expect(try parser.next(in: text, at: &position))
        #expect(parser.record.fields["article_id"] == .integer(-7) && parser.record.fields["lang"] == .string("ar"))
        #expect(parser.record.fields["flag"] == .other && parser.record.fields["other"] == nil)
        #expect(try parser.next(in: text, at: &position))
        #expect(parser.record.fields["lang"] == .null && parser.record.fields["article_id"] == nil)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `of random records arrives whole in random chunks`(seed: UInt64) throws {
        let bodies = [
            "null", "-0.5e3", "\"\"", #""}\"],[{é\ud83d\ude00\\""#, "[ ]", #"[1, {"id": "x"}, [[]]]"#,
            #"{ "records" : [{}] }"#,
        ]
        var random = Seeded(seed)
        let records = (0..<200).map { index in
            "{\"id\":\(index), \"body\":\(bodies.randomElement(using: &random) ?? "")}"
        }
        let bytes = Array("{\"records\":[\(records.joined(separator: ",\n"))],\(head)}".utf8)
        var chunks: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 0...200, using: &random))
            chunks.append(Array(bytes[start..<end]))
            start = end
        }
        let (rows, header) = try parse(chunks)
        #expect(rows.map(\.bytes) == records && header.recordCount == 200, "seed \(seed)")
        #expect(rows.map(\.id) == (0..<200).map { .integer($0) }, "seed \(seed)")
    }
}
