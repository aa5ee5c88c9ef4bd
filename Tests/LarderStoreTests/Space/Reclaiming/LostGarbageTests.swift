// Proves that unreachable content is found and removed by an open of a file that has lost its garbage table.

import Foundation
import LarderFormat
import LarderJSON
import Testing

@testable import LarderEngine
@testable import LarderStore

@Suite(.timeLimit(.minutes(10))) struct `A file that has lost its table of garbage` {
    private let directory = TemporaryStore()

    /// Rebuilds the file without the table.
    private func loseGarbage() throws -> Int {
        let raw = try RawStore(directory.path)
        let all = try raw.records()
        try raw.close()
        try FileManager.default.removeItem(atPath: directory.path)
        let names = TableName.allCases.filter { $0 != .garbage }.map(\.rawValue)
        let environment = try Environment.open(path: directory.path, options: EnvironmentOptions(tables: names))
        try environment.writeBlocking { transaction in
            for record in all where record.table != .garbage {
                let table = environment.table(record.table.rawValue)
                try transaction.set(record.value.rawSpan, forKey: record.key.rawSpan, in: table)
            }
        }
        try environment.close()
        return all.count { $0.table == .garbage }
    }

    @Test func `loses the content that the table listed, and nothing else`() async throws {
        let first = try directory.open()
        for name in ["n", "m"] {
            try await first.declareIndex(
                IndexDefinition(name: name, group: "big", type: "row", path: JSONPath("$.\(name)")!))
        }
        for id in 1...3 as ClosedRange<Int64> { try await fill(first, id) }
        let entries = [
            try await first.put(response("a"), body: [UInt8](repeating: 1, count: 50_000)),
            try await first.put(response("b"), body: [UInt8](repeating: 2, count: 50_000)),
        ]
        _ = try await first.beginStaging(big(2))
        let writer = try first.makeBlob()
        writer.append([UInt8](repeating: 7, count: 600_000).rawSpan)
        try await writer.flush()
        try first.writeBlocking { transaction in
            try transaction.withdraw(big(1), at: ServerPosition(0, 9), as: .empty)
            try transaction.removeResponse(at: entries[0].place)
            _ = try transaction.removeIndex(named: "n")
            transaction.effects.hasGarbage = false
        }
        let counts = try [TableName.rows, .indexes, .blobs].map { try first.recordCount(of: $0) }
        try first.close()
        withExtendedLifetime(writer) {}
        #expect(try loseGarbage() == 5)

        let store = try directory.open()
        try await store.eventually { try store.recordCount(of: .garbage) == 0 && !store.shared.reclaimer.isWanted }
        // The size counted the records that are lost.
        #expect(try store.findings().filter { $0.kind != .counter } == [])
        #expect(try store.keys(.all(of: big(2))).count == 10 && store.keys(.all(of: big(3))).count == 10)
        #expect(try store.storedResponse("b", language: "de") != nil)
        #expect(try store.recordCount(of: .rows) == 22)
        // One declaration, and an entry for each row.
        #expect(try store.recordCount(of: .indexes) == 21)
        #expect(try store.statistics().generations.counts == [2, 0, 0])
        #expect(try store.recordCount(of: .blobs) < counts[2])
        try store.close()
    }
}
