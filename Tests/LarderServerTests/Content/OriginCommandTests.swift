// Proves that commands change an origin's rows and log exactly the right changes.

import LarderServer
import Testing

@Suite struct `An origin` {
    @Test(arguments: OriginBackend.allCases)
    func `logs one change of each kind under ascending numbers`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        let body = Origin.Row.translation(1).body
        #expect(try await origin.createResource(.translation19, rows: []) == 1)
        #expect(try await origin.putRow(.translation(1), in: .translation19) == 2)
        #expect(try await origin.putRow(.translation(1), in: .translation19) == 3)
        #expect(try await origin.deleteRow(.init("translation", "1"), in: .translation19) == 4)
        #expect(try await origin.replaceRows(of: .translation19, with: [.translation(5)]) == 5)
        #expect(try await origin.touchResource(.translation19) == 6)
        #expect(try await origin.hideResource(.translation19, reason: "licence") == 7)
        #expect(try await origin.publishResource(.translation19) == 8)
        let key = Origin.RowKey("translation", "1")
        #expect(
            try await origin.changes.map(\.kind) == [
                .resourceCreate, .rowCreate(key, body: body), .rowUpdate(key, body: body), .rowDelete(key),
                .resourceInvalidate, .resourceUpdate, .resourceDelete(reason: "licence"), .resourceCreate,
            ])
        #expect(try await origin.changes.map(\.sequence) == Array(1...8))
    }

    @Test(arguments: OriginBackend.allCases)
    func `never logs what changed while a resource was hidden`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [.translation(1)])
        try await origin.hideResource(.translation19, reason: nil)
        #expect(try await origin.putRow(.translation(2), in: .translation19) == nil)
        #expect(try await origin.deleteRow(.init("translation", "1"), in: .translation19) == nil)
        await #expect(throws: OriginError.hidden(.translation19)) { try await origin.touchResource(.translation19) }
        #expect(try await origin.publishResource(.translation19) == 3)
        #expect(
            try await origin.changes.map(\.kind) == [.resourceCreate, .resourceDelete(reason: nil), .resourceCreate])
        #expect(try await origin.rows(of: .translation19) == [.translation(2)])
    }

    @Test(arguments: OriginBackend.allCases)
    func `logs nothing for a row that was not there`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: [])
        #expect(try await origin.deleteRow(.init("translation", "9"), in: .translation19) == nil)
        #expect(try await origin.sequence == 1)
    }

    @Test(arguments: OriginBackend.allCases)
    func `refuses commands about resources that are not as they assume`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        await #expect(throws: OriginError.unknownResource(.translation19)) {
            try await origin.putRow(.translation(1), in: .translation19)
        }
        await #expect(throws: OriginError.invalidResourceID(0)) {
            try await origin.createResource(.init("translations", 0), rows: [])
        }
        await #expect(throws: OriginError.invalidGroup) { try await origin.createResource(.init("a:b", 1), rows: []) }
        try await origin.createResource(.translation19, rows: [])
        await #expect(throws: OriginError.resourceExists(.translation19)) {
            try await origin.createResource(.translation19, rows: [])
        }
        await #expect(throws: OriginError.alreadyPublic(.translation19)) {
            try await origin.publishResource(.translation19)
        }
    }

    @Test(arguments: OriginBackend.allCases)
    func `stores its rows in the order in which they came, whatever is removed`(backend: OriginBackend) async throws {
        let origin = try await backend.open()
        try await origin.createResource(.translation19, rows: (1...1000).map { .translation($0) })
        for id in 1...1000 where id % 3 != 0 {
            try await origin.deleteRow(.init("translation", String(id)), in: .translation19)
        }
        try await origin.putRow(.translation(3, "new"), in: .translation19)
        try await origin.putRow(.translation(1), in: .translation19)
        let keys = try await origin.rows(of: .translation19)?.map(\.key.key)
        #expect(keys == stride(from: 3, through: 1000, by: 3).map { String($0) } + ["1"])
        #expect(try await origin.rows(of: .translation19)?.first == .translation(3, "new"))
    }

    @Test func `remembers as many changes as it is configured to`() throws {
        let origin = Origin.sample(changeLimit: 10)
        try origin.createResource(.translation19)
        let bootstrap = try OriginQuery(parsing: "resources=translations:*&bootstrap=true")
        let token = try #require(try origin.page(bootstrap).token)
        for id in 1...100 { try origin.putRow(.translation(id), in: .translation19) }
        #expect((10...13).contains(origin.changes.count))
        let query = try OriginQuery(parsing: "resources=translations:*&sync_token=\(token)")
        #expect(throws: OriginProblem.resyncRequired) { try origin.page(query) }
    }
}
