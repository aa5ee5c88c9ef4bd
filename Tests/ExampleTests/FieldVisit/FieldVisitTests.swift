// Proves that visits and photos are kept without a server, are sent once and in order, and never as another account's.

#if Server
import Foundation
import Larder
import LarderOutbox
import LarderServer
import LarderURLSession
import Testing

@testable import field_visit

@Suite(.timeLimit(.minutes(2))) struct `Field visits` {
    private let location = CacheLocation.temporary()
    private let server: FieldServer
    private let centre = Place(latitude: 50, longitude: 10)

    init() throws { server = try FieldServer() }

    private func open(_ address: String, isReadOnly: Bool = false) async throws -> FieldModel {
        try await FieldModel(
            in: location, server: try #require(BaseURL(address)), content: try #require(BaseURL(address + "/content")),
            services: .system(URLSessionTransport()), isReadOnly: isReadOnly)
    }

    /// Runs `body` with the app of an account.
    private func using(_ address: String, _ body: (FieldModel) async throws -> Void) async throws {
        let model = try await open(address)
        try await model.signIn(as: "user-1")
        try await body(model)
        try await model.close()
    }

    private func download(_ address: String) async throws {
        try await using(address) { model in
            _ = model.download()
            #expect(await model.fetch().isEmpty)
        }
    }

    @Test func `find the nearest outlets without a network`() async throws {
        let address = try await server.router().serve { address in
            try await download(address)
            return address
        }
        try await using(address) { model in
            let near = try model.outlets(near: centre, limit: 5)
            #expect(near.count == 5 && near[0].outlet.id == 1 && near[0].metres < 1)
            let all = try model.cache.rows(Outlet.self)
            let sorted = all.map { centre.distance(to: $0.place) }.sorted()
            #expect(near.map(\.metres) == Array(sorted.prefix(5)))
            let far = try model.outlets(near: Place(latitude: -50, longitude: 179), limit: 100)
            #expect(far.count == all.count)
        }
    }

    @Test func `are kept without a server, and sent with their photos when it is there`() async throws {
        let address = try await server.router().serve { address in
            try await download(address)
            return address
        }
        var visit: Visit?
        try await using(address) { model in
            visit = try await model.record(7, note: "stock is low", at: centre, photo: [1, 2, 3])
            #expect(model.cache.outbox?.status.unsent == 2)
        }
        let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
        try await server.router().serve(port: port) { _ in
            try await using(address) { model in
                let before = try model.visits()
                #expect(before.map(\.isPending) == [true])
                #expect(await model.send().unsent == 0)
            }
            try await download(address)
        }
        try await using(address) { model in
            let shown = try model.visits()
            #expect(shown.map(\.visit.id) == [visit?.id] && shown.map(\.isPending) == [false])
            #expect(shown.first?.visit.photo == 3)
            #expect(shown.first?.visit.latitude == 50)
        }
    }

    @Test func `disappear when the server refuses them, and their photos are not sent`() async throws {
        try await server.router().serve { address in
            try await using(address) { model in
                try await model.record(999, note: "no such outlet", photo: [1, 2, 3])
                #expect(await model.send().unsent == 0)
                #expect(try model.visits().isEmpty)
                let refusals = try model.refusals()
                #expect(refusals.count == 2)
                #expect(refusals.first?.reason.contains("422") == true)
            }
        }
    }

    @Test func `of one account keep another from signing in until they are sent`() async throws {
        try await server.router().serve { address in
            try await using(address) { model in
                try await model.record(7, note: "stock is low")
                let error = await #expect(throws: SessionError.self) { try await model.signIn(as: "user-2") }
                guard case .unsent(let left) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(left.pending == 1)
                #expect(await model.cache.session.account == "user-1")
                #expect(await model.send().unsent == 0)
                try await model.signIn(as: "user-2")
                try await model.record(8, note: "all is well")
                #expect(await model.send().unsent == 0)
            }
        }
        let accounts =
            server.origin.rows(of: .init("visits", 1))?.map { String(decoding: $0.body, as: UTF8.self) } ?? []
        #expect(accounts.count == 2)
        #expect(accounts.count { $0.contains("\"account\":\"user-2\"") } == 1)
    }

    @Test func `are read by a process beside the one that records them`() async throws {
        try await using("http://127.0.0.1:9") { model in
            try await model.record(7, note: "stock is low")
            let other = try await Program.run("field-visit", ["status", "--read-only", "--directory", location.path])
            #expect(other.status == 0)
            #expect(other.text == "signed in: user-1\n↑ outlet 7, user-1: stock is low\n")
        }
        let reader = try await open("http://127.0.0.1:9", isReadOnly: true)
        await #expect(throws: (any Error).self) { try await reader.record(8, note: "not here") }
        #expect(try reader.visits().count == 1)
        try await reader.close()
    }

    @Test func `run from the command line`() async throws {
        let process = try Program("field-visit", ["serve", "--port", "0"])
        let address = try await process.wait(for: /are at (http:\S+)\n/)
        let options = ["--server", address, "--directory", location.path]
        func run(_ arguments: String..., failing isFailing: Bool = false) async throws -> String {
            let outcome = try await Program.run("field-visit", arguments + options)
            #expect((outcome.status != 0) == isFailing)
            return outcome.text
        }
        #expect(try await run("download").contains("ready offline, 2 resources"))
        #expect(try await run("outlets", "near", "50", "10").hasPrefix("1  Outlet 1, 0 m\n"))
        #expect(try await run("visit", "7", "stock is low", "--at=50,10") == "stored; 1 not sent yet\n")
        #expect(try await run("status", "--read-only").contains("↑ outlet 7, user-1: stock is low"))
        let refused = try await run("status", "--account", "user-2", failing: true)
        #expect(refused.hasPrefix("Not sent yet: 1 write. Send them first"))
        #expect(try await run("send") == "Everything is sent.\n")
        let unread = try await run("visit", "7", "a photo", "--photo", "/nonexistent.jpg", failing: true)
        #expect(unread.contains("The photo /nonexistent.jpg cannot be read") && unread.contains("Nothing was stored."))
        #expect(try await process.interrupt() == 0)
        #expect(try await run("visit", "8", "later") == "stored; 1 not sent yet\n")
        #expect(try await run("send", "--within", "0", failing: true).contains("--within is 1 to 3600."))
        let unsent = try await run("send", "--within", "1", failing: true)
        #expect(unsent == "1 not sent yet; kept for the next send\n")
    }
}
#endif
