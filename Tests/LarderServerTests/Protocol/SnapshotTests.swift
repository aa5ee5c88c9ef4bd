// Proves that a resource snapshot has the protocol's members and one consistent content.

import Foundation
import LarderServer
import Testing

@Suite struct `A snapshot` {
    private func text(_ copy: OriginSnapshot) -> String { String(decoding: copy.flatMap { $0 }, as: UTF8.self) }

    @Test(arguments: OriginBackend.allCases)
    func `has the members that the protocol shows, and the rows' own bytes`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        let row = Origin.Row(type: "translation", key: "85108", #"{"id":85108 ,"foot_notes":[]}"#)
        try await origin.createResource(.translation19, rows: [row])
        try await origin.createResource(.init("tafsirs", 1), rows: [])
        #expect(
            text(try await origin.snapshot(of: .translation19))
                == #"{"resource_group":"translations","resource_id":19,"resource_content_id":19,"schema_version":1,"#
                + #""sync_sequence":2,"records":[{"id":85108 ,"foot_notes":[]}]}"#)
    }

    @Test(arguments: OriginBackend.allCases, ["articles", "quran_core"])
    func `has no content id in groups without`(backend: OriginBackend, group: String) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.init(group, 1), rows: [])
        #expect(text(try await origin.snapshot(of: .init(group, 1))).contains(#""resource_content_id":null"#))
    }

    @Test(arguments: OriginBackend.allCases)
    func `of an empty resource has no rows`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        #expect(text(try await origin.snapshot(of: .translation19)).hasSuffix(#""records":[]}"#))
    }

    @Test(arguments: OriginBackend.allCases)
    func `stays as it was while the origin changes`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: (1...2000).map { .translation($0, "old") })
        let copy = try await origin.snapshot(of: .translation19)
        var pieces = copy.makeIterator()
        var bytes = pieces.next() ?? []
        for id in 1...2000 { try await origin.putRow(.translation(id, "new"), in: .translation19) }
        try await origin.replaceRows(of: .translation19, with: [])
        try await origin.hideResource(.translation19, reason: nil)
        while let piece = pieces.next() { bytes += piece }
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let records = try #require(object["records"] as? [[String: Any]])
        #expect(object["sync_sequence"] as? Int == 1)
        #expect(records.count == 2000)
        #expect(records.allSatisfy { $0["text"] as? String == "old" })
    }

    @Test(arguments: OriginBackend.allCases)
    func `comes in pieces of bounded size`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: (1...10_000).map { .translation($0) })
        let sizes = try await origin.snapshot(of: .translation19).map(\.count)
        #expect(sizes.count > 5)
        #expect(sizes.allSatisfy { $0 > 0 && $0 < OriginSnapshot.chunkSize + 1000 })
    }

    @Test(arguments: OriginBackend.allCases)
    func `is as of the present, not as of the change that led to it`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        try await origin.putRow(.translation(1), in: .translation19)
        #expect(try await origin.snapshot(of: .translation19).sequence == 2)
    }

    @Test(arguments: OriginBackend.allCases)
    func `is not found while the resource is hidden, or was never there`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        try await origin.hideResource(.translation19, reason: nil)
        for resource in [.translation19, Origin.ResourceID("translations", 20), .init("translations", 0)] {
            await #expect(throws: OriginProblem.snapshotNotFound) { try await origin.snapshot(of: resource) }
        }
        await #expect(throws: OriginProblem.unknownResourceGroup) {
            try await origin.snapshot(of: .init("nonsense", 1))
        }
    }
}
