// Proves that `cachetool salvage` makes a store of a damaged one that the next sync brings in step with the server.

import Foundation
import LarderServer
import Testing

@Suite struct `Salvaging` {
    private static func rows(_ count: Int) -> [Origin.Row] {
        (1...count).map { Origin.Row(type: "translation", key: String($0), "{\"id\":\($0),\"text\":\"verse \($0)\"}") }
    }

    @Test func `refuses while the store is open elsewhere, and where something is at the new place`() async throws {
        let sample = try await SampleStore()
        let taken = try Tool.run("salvage", sample.path, "--to", sample.path)
        #expect(taken.status == 4 && taken.errorOutput.contains("name a new directory"))
        let lock = unsafe open(sample.path + "/guard.lock", O_RDWR)
        #expect(flock(lock, LOCK_SH) == 0)
        let held = try Tool.run("salvage", sample.path, "--to", sample.sibling("saved"))
        #expect(held.status == 3, "\(held.errorOutput)")
        close(lock)
        let saved = try Tool.run("salvage", sample.path, "--to", sample.sibling("saved"))
        #expect(saved.status == 0 && saved.text.contains("0 damaged pages"), "\(saved.text)\(saved.errorOutput)")
        #expect(sample.directory.names == ["saved", "store"])
    }

    @Test(arguments: [1, 2, 3])
    func `makes a store that a sync brings in step, whatever pages are destroyed`(seed: Int) throws {
        let server = try LoopbackServer()
        let directory = TemporaryDirectory()
        let (store, whole) = (directory.path + "/store", directory.path + "/whole")
        for id in 1...12 {
            _ = try server.origin.createResource(Origin.ResourceID("translations", Int64(id)), rows: Self.rows(300))
        }
        #expect(try Tool.run("sync", store, server.url, "translations:*").status == 0)
        for id in 1...12 where id % 3 == 0 {
            _ = try server.origin.putRow(
                Origin.Row(type: "translation", key: "7", "{\"id\":7,\"text\":\"new\"}"),
                in: Origin.ResourceID("translations", Int64(id)))
        }
        let path = URL(fileURLWithPath: store + "/data.mdb")
        var file = try Data(contentsOf: path)
        for number in 0..<4 {
            let page = 2 + (seed * 7919 + number * 104_729) % (file.count / 4096 - 2)
            file.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(count: 4096))
        }
        try file.write(to: path)
        let saved = directory.path + "/saved"
        let salvage = try Tool.run("salvage", store, "--to", saved, "--json")
        #expect([0, 1].contains(salvage.status), "\(salvage.errorOutput)")
        #expect(try #require(try salvage.objects().first)["findings"] as? Int == 0, "seed \(seed): \(salvage.text)")
        #expect(try Tool.run("verify", saved).text == "OK\n")
        let sync = try Tool.run("sync", saved, server.url, "translations:*")
        #expect(sync.status == 0, "seed \(seed): \(sync.errorOutput)")
        #expect(try Tool.run("sync", whole, server.url, "translations:*").status == 0)
        // The times of a fetch are local.
        let difference = try Tool.run("diff", saved, whole).text.split(separator: "\n")
            .filter { !$0.hasSuffix(": updatedAt") && !$0.hasSuffix(" differences") }
        #expect(difference.isEmpty || difference == ["equal"], "seed \(seed): \(difference)")
        #expect(try Tool.run("verify", saved).text == "OK\n")
    }
}
