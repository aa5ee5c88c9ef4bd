// Proves which members count as changed between two payloads.

import LarderSync
import Testing

@Suite struct `The members that changed` {
    /// What a pass says of a row whose payload changes from one text to another; nil when it is the same to it.
    private func change(_ old: String, _ new: String) async throws -> ListChanges.Update? {
        let fixture = try ListFixture()
        for text in [old, new] {
            let server = ListServer.responding(keys: []) { _, _ in
                ListPage(items: [ListItem(key: "1", payload: Array(text.utf8))], hasMore: false)
            }
            try await fixture.reconcile(server)
        }
        return fixture.changes.last?.updated.first
    }

    @Test func `are those with another value, and those that came or went`() async throws {
        let update = try await change(
            #"{"a":1,"b":"x","c":[1,2],"d":{"e":1},"f":null,"g":true,"h":1.5,"gone":0}"#,
            #"{"a":2,"b":"y","c":[1,3],"d":{"e":2},"f":false,"g":true,"h":2.5,"came":0}"#)
        #expect(update?.members == ["a", "b", "c", "came", "d", "f", "gone", "h"])
    }

    @Test func `are none where only spelling, order or white space differ`() async throws {
        #expect(try await change(#"{"a":"\u0041","b":[1]}"#, #"{ "b" : [1], "a":"A" }"#) == nil)
        #expect(try await change("{}", " { } ") == nil)
    }

    @Test func `distinguish a number from a text and a name from its value`() async throws {
        #expect(try await change(#"{"a":1}"#, #"{"a":"1"}"#)?.members == ["a"])
        #expect(try await change(#"{"a":"b","b":"a"}"#, #"{"a":"a","b":"b"}"#)?.members == ["a", "b"])
        #expect(try await change(#"{"a":{},"b":[]}"#, #"{"a":[],"b":{}}"#)?.members == ["a", "b"])
    }

    @Test(arguments: [("[1]", "[2]"), ("{\"a\":1}", "no JSON"), ("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":3}"), ("1", "2")])
    func `are not known of payloads that are no objects of distinct names`(_ old: String, _ new: String) async throws {
        let update = try #require(await change(old, new))
        #expect(update.members == nil)
    }
}
