// Proves that commands change an origin's rows and log exactly the right changes.

import LarderServer
import Testing

@Suite struct `An origin` {
    private let origin = Origin.sample()

    private func kinds() -> [Origin.Change.Kind] { origin.changes.map(\.kind) }

    @Test func `logs one change of each kind under ascending numbers`() throws {
        let body = Origin.Row.translation(1).body
        #expect(try origin.createResource(.translation19) == 1)
        #expect(try origin.putRow(.translation(1), in: .translation19) == 2)
        #expect(try origin.putRow(.translation(1), in: .translation19) == 3)
        #expect(try origin.deleteRow(.init("translation", "1"), in: .translation19) == 4)
        #expect(try origin.replaceRows(of: .translation19, with: [.translation(5)]) == 5)
        #expect(try origin.touchResource(.translation19) == 6)
        #expect(try origin.hideResource(.translation19, reason: "licence") == 7)
        #expect(try origin.publishResource(.translation19) == 8)
        let key = Origin.RowKey("translation", "1")
        #expect(
            kinds() == [
                .resourceCreate, .rowCreate(key, body: body), .rowUpdate(key, body: body), .rowDelete(key),
                .resourceInvalidate, .resourceUpdate, .resourceDelete(reason: "licence"), .resourceCreate,
            ])
        #expect(origin.changes.map(\.sequence) == Array(1...8))
    }

    @Test func `never logs what changed while a resource was hidden`() throws {
        try origin.createResource(.translation19, rows: [.translation(1)])
        try origin.hideResource(.translation19)
        #expect(try origin.putRow(.translation(2), in: .translation19) == nil)
        #expect(try origin.deleteRow(.init("translation", "1"), in: .translation19) == nil)
        #expect(throws: OriginError.hidden(.translation19)) { try origin.touchResource(.translation19) }
        #expect(try origin.publishResource(.translation19) == 3)
        #expect(kinds() == [.resourceCreate, .resourceDelete(reason: nil), .resourceCreate])
        #expect(origin.rows(of: .translation19) == [.translation(2)])
    }

    @Test func `logs nothing for a row that was not there`() throws {
        try origin.createResource(.translation19)
        #expect(try origin.deleteRow(.init("translation", "9"), in: .translation19) == nil)
        #expect(origin.sequence == 1)
    }

    @Test func `refuses commands about resources that are not as they assume`() throws {
        #expect(throws: OriginError.unknownResource(.translation19)) {
            try origin.putRow(.translation(1), in: .translation19)
        }
        #expect(throws: OriginError.invalidResourceID(0)) { try origin.createResource(.init("translations", 0)) }
        #expect(throws: OriginError.invalidGroup) { try origin.createResource(.init("a:b", 1)) }
        try origin.createResource(.translation19)
        #expect(throws: OriginError.resourceExists(.translation19)) { try origin.createResource(.translation19) }
        #expect(throws: OriginError.alreadyPublic(.translation19)) { try origin.publishResource(.translation19) }
    }

    @Test func `stores its rows in the order in which they came, whatever is removed`() throws {
        try origin.createResource(.translation19, rows: (1...1000).map { .translation($0) })
        for id in 1...1000 where id % 3 != 0 {
            try origin.deleteRow(.init("translation", String(id)), in: .translation19)
        }
        try origin.putRow(.translation(3, "new"), in: .translation19)
        try origin.putRow(.translation(1), in: .translation19)
        let keys = origin.rows(of: .translation19)?.map(\.key.key)
        #expect(keys == stride(from: 3, through: 1000, by: 3).map { String($0) } + ["1"])
        #expect(origin.rows(of: .translation19)?.first == .translation(3, "new"))
    }

    @Test func `remembers as many changes as it is configured to`() throws {
        let origin = Origin.sample(changeLimit: 10)
        try origin.createResource(.translation19)
        let token = try origin.bootstrapToken("translations:*")
        for id in 1...100 { try origin.putRow(.translation(id), in: .translation19) }
        #expect((10...13).contains(origin.changes.count))
        #expect(throws: OriginProblem.resyncRequired) {
            try origin.page("resources=translations:*&sync_token=\(token)")
        }
    }
}
