// Proves that an app can make a file that shows its state to a developer, offline and while it runs, without its content.

import Foundation
import Larder
import LarderFormat
import LarderStore
import LarderTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct `The diagnostics of a cache` {
    @Test func `show what is ready and what is not sent, without content`() async throws {
        let world = World()
        try world.publish(10)
        let cache = try await world.open()
        try await world.running(cache) {
            _ = await world.keep("translations:10", in: cache)
            world.network.set(.offline)
            try await cache.put(Note(id: "pine", text: "buy bread"), to: "/notes/pine")
            try await world.clock.wait(for: "the network to be known") { cache.content?.status.network == .offline }
            let file = try await cache.diagnostics()
            for secret in ["river", "pine", "bread"] { #expect(file.range(of: Data(secret.utf8)) == nil) }

            let directory = CacheLocation.temporary()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            try file.write(to: URL(filePath: directory.path + "/data.mdb"))
            try Data().write(to: URL(filePath: directory.path + "/guard.lock"))
            let copy = try Store.open(at: directory.path)
            try copy.read { view in
                #expect(try view.readiness().map(\.isComplete) == [true])
                #expect(try view.outboxEntries().map(\.method) == ["PUT"])
                let facts = try #require(try view.diagnostics()).facts
                #expect(Set(facts.map(\.name)).isSuperset(of: ["System", "Sync", "Writes", "Session"]))
                let sync = facts.first { $0.name == "Sync" }?.value ?? ""
                #expect(sync.contains("network offline") && sync.contains("ready offline"))
                #expect(facts.first { $0.name == "Writes" }?.value.contains("1 not sent yet") == true)
            }
            #expect(try copy.statistics().rows == 20)
            try copy.close()
            try FileManager.default.removeItem(atPath: directory.path)
        }
    }

    @Test func `do not name the account`() async throws {
        let world = World()
        let cache = try await world.open(options: CacheOptions())
        try await cache.session.signIn(as: "zebra-7")
        try await cache.put(Note(id: "1", text: "a"), to: "/notes/1")
        try await cache.session.markExpired("zebra-7")
        try await world.running(cache) {
            try await world.clock.wait(for: "the outbox to wait for the account") {
                cache.outbox?.status.pauses.contains(.signInExpired(account: "zebra-7")) == true
            }
            #expect(try await cache.diagnostics().range(of: Data("zebra".utf8)) == nil)
        }
    }
}
