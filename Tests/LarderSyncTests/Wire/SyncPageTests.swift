// Proves that a sync page is decoded as the protocol defines it, and that malformed ones are refused by name.

import LarderJSON
import LarderSync
import Testing

private let row = #"""
    "sequence":5010,"type":"ROW_UPDATE","resource_group":"translations","resource_id":19,"resource_content_id":19,
    "record_type":"translation","record_key":"85108","source_record_id":85108,"changed_at":"2026-05-05T10:05:00Z",
    "data": { "id": 85108, "text":"\u0627 }" },"snapshot_url":null,"unavailable_reason":null
    """#
private let resource = #""resource_group":"g","resource_id":1,"changed_at":"1970-01-01T00:00:01Z""#
private let final = #""sync_until_sequence":5010,"has_more":false,"next_page_url":null,"next_sync_token":"t""#

private func page(_ mutations: String, rest: String = final) -> String {
    "{\"sync\":{\(rest),\"mutations\":[\(mutations)]}}"
}

private func decode(_ text: String) throws(WireError) -> SyncPage { try SyncPage(decoding: Array(text.utf8)) }

private func replacing(_ old: String, _ new: String, in text: String) -> String {
    let parts = text.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    precondition(parts.count == 2, "\(old) is not there")
    return parts[0] + new + parts[1]
}

@Suite struct `A sync page` {
    @Test func `has the values of the wire`() throws {
        let decoded = try decode(page("{\(row)}"))
        let mutation = Mutation(
            sequence: 5010, type: .rowUpdate, resource: .init(group: "translations", id: 19), recordType: "translation",
            recordKey: "85108", changedAt: 1_777_975_500_000, data: Array(#"{ "id": 85108, "text":"\u0627 }" }"#.utf8))
        #expect(
            decoded
                == SyncPage(
                    syncUntilSequence: 5010, hasMore: false, nextPageURL: nil, nextSyncToken: "t", mutations: [mutation]
                ))
    }

    @Test func `names the next page or the token, never both`() throws {
        let more =
            #""sync_until_sequence":1,"has_more":true,"next_page_url":"/api/v4/x?cursor=1","next_sync_token":null"#
        let decoded = try decode(page("", rest: more))
        #expect(decoded.hasMore && decoded.nextPageURL == "/api/v4/x?cursor=1" && decoded.nextSyncToken == nil)
        let cases: [(String, String, String, WireError)] = [
            (more, "\"/api/v4/x?cursor=1\"", "null", .missing(path: "sync.next_page_url")),
            (
                more, "\"next_sync_token\":null", "\"next_sync_token\":\"t\"",
                .contradiction(path: "sync.next_sync_token")
            ),
            (final, "\"t\"", "null", .missing(path: "sync.next_sync_token")),
            (final, "\"t\"", "\"\"", .empty(path: "sync.next_sync_token")),
            (final, "\"next_page_url\":null", "\"next_page_url\":\"/a\"", .contradiction(path: "sync.next_page_url")),
            (final, "\"next_page_url\":null,", "", .missing(path: "sync.next_page_url")),
            (
                final, "\"next_page_url\":null", "\"next_page_url\":1",
                .wrongType(path: "sync.next_page_url", expected: .string)
            ),
            (final, "false", "0", .wrongType(path: "sync.has_more", expected: .boolean)),
            (final, "5010", "-1", .outOfRange(path: "sync.sync_until_sequence")),
            (final, "5010", "\"5010\"", .wrongType(path: "sync.sync_until_sequence", expected: .integer)),
            (final, "5010", "9223372036854775808", .wrongType(path: "sync.sync_until_sequence", expected: .integer)),
            (final, "false", "false,\"has_more\":false", .duplicate(path: "sync.has_more")),
        ]
        for (rest, old, new, error) in cases {
            #expect(throws: error) { try decode(page("", rest: replacing(old, new, in: rest))) }
        }
    }

    @Test(arguments: [
        ("[]", WireError.wrongType(path: "", expected: .object)), ("{}", .missing(path: "sync")),
        ("{\"sync\":[]}", .wrongType(path: "sync", expected: .object)),
        ("{\"sync\":{\(final)}}", .missing(path: "sync.mutations")),
        ("{\"sync\":{\(final),\"mutations\":null}}", .missing(path: "sync.mutations")),
        ("{\"sync\":{\(final),\"mutations\":{}}}", .wrongType(path: "sync.mutations", expected: .array)),
        ("{\"sync\":{\(final),\"mutations\":[],\"mutations\":[]}}", .duplicate(path: "sync.mutations")),
        (page("1"), .wrongType(path: "sync.mutations[0]", expected: .object)),
        (page("") + "1", .json(JSONError(.trailingBytes, at: 112))), ("", .json(JSONError(.unexpectedEnd, at: 0))),
    ])
    func `of another shape is refused by name`(text: String, error: WireError) {
        #expect(throws: error) { try decode(text) }
    }

    @Test(arguments: [
        ("\"sequence\":5010,", "", WireError.missing(path: "sync.mutations[1].sequence")),
        ("5010", "-1", .outOfRange(path: "sync.mutations[1].sequence")),
        ("5010", "1.5", .wrongType(path: "sync.mutations[1].sequence", expected: .integer)),
        ("\"ROW_UPDATE\"", "null", .missing(path: "sync.mutations[1].type")),
        ("\"ROW_UPDATE\"", "\"\"", .empty(path: "sync.mutations[1].type")),
        ("\"translations\"", "7", .wrongType(path: "sync.mutations[1].resource_group", expected: .string)),
        ("\"resource_id\":19", "\"resource_id\":0", .outOfRange(path: "sync.mutations[1].resource_id")),
        ("\"record_type\":\"translation\",", "", .missing(path: "sync.mutations[1].record_type")),
        ("\"85108\"", "null", .missing(path: "sync.mutations[1].record_key")),
        ("\"85108\"", "85108", .wrongType(path: "sync.mutations[1].record_key", expected: .string)),
        ("T10:05", " 10:05", .invalidDate(path: "sync.mutations[1].changed_at")),
        ("\"data\"", "\"daten\"", .missing(path: "sync.mutations[1].data")),
        (
            "{ \"id\": 85108, \"text\":\"\\u0627 }\" }", "[]",
            .wrongType(path: "sync.mutations[1].data", expected: .object)
        ),
        ("\"unavailable_reason\":null", "\"type\":\"A\"", .duplicate(path: "sync.mutations[1].type")),
        ("ROW_UPDATE", "RESOURCE_CREATE", .missing(path: "sync.mutations[1].snapshot_url")),
        ("ROW_UPDATE", "RESOURCE_INVALIDATE", .missing(path: "sync.mutations[1].snapshot_url")),
    ])
    func `with a mutation that breaks a rule is refused by name`(old: String, new: String, error: WireError) {
        #expect(throws: error) { try decode(page("{\(row)},{\(replacing(old, new, in: row))}")) }
    }

    @Test func `accepts each type with its required members and no others`() throws {
        let decoded = try decode(
            page(
                """
                {"sequence":1,"type":"RESOURCE_CREATE",\(resource),"snapshot_url":"/api/v4/s"},
                {"sequence":2,"type":"RESOURCE_DELETE",\(resource),"unavailable_reason":"hidden","data":null},
                {"sequence":3,"type":"RESOURCE_UPDATE",\(resource),"record_key":null},
                {"sequence":4,"type":"ROW_DELETE",\(resource),"record_type":"t","record_key":"k","data":null},
                {"sequence":5,"type":"ROW_MOVE","resource_group":"g","resource_id":1,"data":[],"record_key":7}
                """))
        #expect(decoded.mutations.map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(decoded.mutations[0].snapshotURL == "/api/v4/s" && decoded.mutations[0].changedAt == 1000)
        #expect(decoded.mutations[1].unavailableReason == "hidden")
        #expect(decoded.mutations[3].recordKey == "k" && decoded.mutations[3].data == nil)
        #expect(decoded.mutations[4].type.rawValue == "ROW_MOVE" && !decoded.mutations[4].type.isKnown)
        #expect(decoded.mutations[4].data == nil && decoded.mutations[4].changedAt == nil)
    }

    @Test func `ascends strictly within its run, across pages`() throws {
        let at = { (sequence: Int64) in
            Mutation(sequence: sequence, type: .resourceUpdate, resource: .init(group: "g", id: 1))
        }
        let page = { (sequences: [Int64]) in
            SyncPage(
                syncUntilSequence: 10, hasMore: false, nextPageURL: nil, nextSyncToken: "t",
                mutations: sequences.map(at))
        }
        #expect(try page([1, 5, 10]).validateOrder(after: nil) == 10)
        #expect(try page([]).validateOrder(after: 4) == 4)
        #expect(throws: WireError.outOfOrder(path: "sync.mutations[0].sequence")) {
            try page([4]).validateOrder(after: 4)
        }
        #expect(throws: WireError.outOfOrder(path: "sync.mutations[1].sequence")) {
            try page([2, 2]).validateOrder(after: nil)
        }
        #expect(throws: WireError.beyondRun(path: "sync.mutations[1].sequence")) {
            try page([2, 11]).validateOrder(after: nil)
        }
    }

    @Test func `with more changes than can be requested is not read to its end`() throws {
        let change = #"{"sequence":1,"type":"X","resource_group":"g","resource_id":1}"#
        let many = { (count: Int) in page(repeatElement(change, count: count).joined(separator: ",")) }
        #expect(try decode(many(SyncPage.maximumMutations)).mutations.count == SyncPage.maximumMutations)
        #expect(throws: WireError.tooMany(path: "sync.mutations", limit: SyncPage.maximumMutations)) {
            try decode(many(SyncPage.maximumMutations + 1))
        }
    }

    @Test func `larger than the limit is not parsed`() {
        #expect(throws: WireError.tooLarge(path: "", limit: 3)) { try SyncPage(decoding: [1, 2, 3, 4], limit: 3) }
    }

    @Test func `with any flipped bit or cut is an error or a page`() throws {
        let bytes = Array(page("{\(row)}").utf8)
        for index in bytes.indices {
            #expect(throws: WireError.self) { try SyncPage(decoding: Array(bytes[..<index])) }
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                guard let page = try? SyncPage(decoding: flipped) else { continue }
                #expect(page.mutations.count == 1 && !page.hasMore)
            }
        }
    }
}
