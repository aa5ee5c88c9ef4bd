// Proves that snapshots replace all rows of a resource atomically and are fetched with limited concurrency.

import Foundation
import HTTPTypes
import LarderFormat
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import Synchronization
import Testing

@Suite struct `Snapshots` {
    /// §1.1.13, §1.1.14, §1.1.28, §1.7.2
    @Test(arguments: Wiring.allCases)
    func `replace all rows at once, in front of every reader`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 1500)
            try await fixture.sync("translations:*")
            let watch = RepeatedReader(fixture.store) { view in
                let rows = try view.rows(in: .all(of: ResourceKey("translations", 19)))
                let words = Set(rows.map { row in String(decoding: row.payload, as: UTF8.self).contains("row") })
                return words == [rows.count == 1500] && [1500, 1400].contains(rows.count)
            }
            for round in 1...4 {
                let rows = Origin.translations(round % 2 == 0 ? 1500 : 1400, round % 2 == 0 ? "row" : "new")
                try await fixture.origin.replace(19, with: rows)
                try await fixture.sync("translations:*")
            }
            let seen = watch.stop()
            #expect(seen.wrong == 0 && seen.looks > 0)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.1.28
    @Test(arguments: Wiring.allCases)
    func `leave the old rows alone until the last byte is there`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 100)
            try await fixture.sync("translations:*")
            let token = try fixture.token()
            try await fixture.origin.replace(19, with: Origin.translations(100, "new"))
            fixture.script.plan(.cut(after: 2000), where: { $0.path?.contains("snapshots") == true })
            _ = try await fixture.failure("translations:*")
            #expect(try fixture.translation(19).values.allSatisfy { $0.contains("row") })
            #expect(try fixture.token() == token)
            #expect(try fixture.resource(19)?.stagingGeneration == nil)
        }
    }

    /// §1.7.1
    @Test(arguments: Wiring.allCases)
    func `arrive complete, however many rows they have`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 12_000)
            #expect(try await fixture.sync("translations:*").snapshotRows == 12_000)
            #expect(fixture.script.recorded.count == 2)
            #expect(try fixture.resource(19)?.rowCount == 12_000)
            #expect(try fixture.text(12_000) == Origin.translation(12_000, "row 12000"))
        }
    }

    /// §1.7.2
    @Test(arguments: Wiring.allCases)
    func `without rows empty the resource`(_ wiring: Wiring) async throws {
        try await wiring.run { fixture in
            try await fixture.origin.addTranslations(19, count: 3)
            try await fixture.sync("translations:*")
            try await fixture.origin.replace(19, with: [])
            try await fixture.sync("translations:*")
            #expect(try fixture.translation(19) == [:])
            #expect(try fixture.resource(19)?.state == .ready)
            #expect(try await fixture.differences(["translations:*"]) == [])
        }
    }

    /// §1.7.3, §1.7.4, §1.8.1
    @Test(arguments: Wiring.allCases)
    func `and row changes name a row alike, in every group`(_ wiring: Wiring) async throws {
        let rows: [(String, String, String, String)] = [
            ("translations", "translation", "1", #"{"id":1}"#), ("tafsirs", "tafsir", "1", #"{"id":1}"#),
            ("word_by_word_translations", "word_translation", "1", #"{"id":1}"#),
            ("word_by_word_transliterations", "word_transliteration", "1", #"{"id":1}"#),
            ("articles", "article_localization", "4-en", #"{"article_id":4,"lang":"en"}"#),
            ("recitations", "audio_file", "7", #"{"id":7}"#),
            ("recitations", "chapter_audio_file", "7", #"{"id":7}"#),
            ("chapter_recitations", "audio_segment", "7", #"{"id":7}"#),
            ("mushafs", "mushaf_page", "7", #"{"id":7}"#), ("mushafs", "mushaf_word", "7", #"{"id":7}"#),
            ("quran_core", "chapter", "7", #"{"id":7}"#), ("quran_core", "verse", "7", #"{"id":7}"#),
            ("later_group", "later_type", "any key", #"{"x":1}"#),
        ]
        try await wiring.run { fixture in
            let groups = Dictionary(grouping: rows, by: \.0)
            for (group, rows) in groups {
                try await fixture.origin.createResource(
                    Origin.ResourceID(group, 1), rows: rows.map { Origin.Row(type: $0.1, key: $0.2, $0.3) })
            }
            let filter = groups.keys.map { "\($0):*" }.joined(separator: ";")
            try await fixture.sync(filter)
            #expect(try await fixture.differences([filter]) == [])
            for (group, type, key, body) in rows {
                let changed = body.dropLast() + #","changed":true}"#
                try await fixture.origin.putRow(
                    Origin.Row(type: type, key: key, String(changed)), in: Origin.ResourceID(group, 1))
            }
            #expect(try await fixture.sync(filter).rowsChanged == rows.count)
            #expect(try await fixture.differences([filter]) == [])
        }
    }

    /// §1.7.4
    @Test func `name their rows by the host's own rule where it has one`() async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1))
        server.on("translations/19", snapshot(at: 1, "one"))
        let fixture = try SyncFixture(transport: server)
        let mapping = RowKeyMapping(capturing: ["text"]) { (group, fields) throws(WireError) in
            guard case .string(let text)? = fields["text"] else { throw .noRecordKey(path: "text") }
            return SnapshotRowKey(type: group, key: text)
        }
        try await fixture.sync("translations:*", configure: { $0.keyMapping = mapping })
        #expect(try fixture.payload(ResourceKey("translations", 19), "translations", "one") == payload(1, "one"))
    }

    /// §1.7.5
    @Test func `are fetched with limited concurrency, and each is shown when it is complete`() async throws {
        let fixture = try SyncFixture()
        for id in Int64(1)...8 { try await fixture.origin.addTranslations(id, count: 3) }
        let heldRequests = HeldRequestTransport(fixture.script) { ["/7", "/8"].contains($0.path?.suffix(2)) }
        let peak = PeakTransport(heldRequests)
        async let report = fixture.sync("translations:*", over: peak, configure: { $0.concurrentSnapshots = 2 })
        await heldRequests.waitUntilHeld(2)
        #expect(try (1...6).allSatisfy { try fixture.resource($0)?.state == .ready })
        #expect(try fixture.resource(7)?.state == .empty)
        #expect(try fixture.token() == nil)
        heldRequests.release()
        #expect(try await report.snapshots == 8)
        #expect(peak.highest == 2)
    }

    /// §1.7.6
    @Test(arguments: [
        snapshot(20, at: 1, "one"), snapshot(at: 1, "one").replacing("\"translations\"", with: "\"tafsirs\""),
        snapshot(at: 1).replacing("\"resource_id\":19", with: "\"resource_id\":\"19\""),
        snapshot(at: 1).replacing(",\"sync_sequence\":1", with: ""),
        snapshot(at: 1).replacing("\"schema_version\":1,", with: ""),
        snapshot(at: 1).replacing(",\"records\":[]", with: ""),
        snapshot(at: 1).replacing("\"records\":[]", with: "\"records\":null"),
        snapshot(at: 1).replacing("\"records\":[]", with: "\"records\":[1]"),
        snapshot(at: 1, "one").replacing("\"id\":1,", with: ""), snapshot(at: 1, "one") + "x", "[]", "", "null",
    ])
    func `that violate the protocol change nothing`(_ body: String) async throws {
        let server = CannedServer()
        server.on("bootstrap", page([change(1, "RESOURCE_CREATE")], until: 1))
        server.on("translations/19", body)
        let fixture = try SyncFixture(transport: server)
        switch try await fixture.failure("translations:*") {
        case .incomplete(let failures): #expect(failures.map(\.resource) == [ResourceKey("translations", 19)])
        case let other: Issue.record("\(other)")
        }
        #expect(try fixture.token() == nil)
        #expect(try fixture.resource(19)?.state == .empty)
        try fixture.expectSound()
    }
}
