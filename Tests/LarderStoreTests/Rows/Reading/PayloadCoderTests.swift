// Proves that values are stored and read through a coder of the same codec.

import Foundation
import LarderFormat
import LarderStore
import Testing

/// What an application would use: JSON by Foundation.
private struct JSONCoder: PayloadCoder {
    let codec: PayloadCodec

    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { [UInt8](try JSONEncoder().encode(value)) }

    func decode<Value: Decodable>(_ type: Value.Type, from payload: RawSpan) throws -> Value {
        try JSONDecoder().decode(type, from: Data([UInt8](copying: payload)))
    }
}

private struct Verse: Codable, Equatable {
    var number: Int
    var text: String
}

@Suite struct `A value` {
    @Test func `is read as it was stored, in the transaction and after it`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        let coder = JSONCoder(codec: .json)
        let verse = Verse(number: 9, text: "nine")
        try await store.write { transaction in
            try transaction.put(verse, at: key(9), updatedAt: 1, using: coder)
            #expect(try transaction.value(Verse.self, at: key(9), using: coder) == verse)
        }
        #expect(try store.read { view in try view.value(Verse.self, at: key(9), using: coder) } == verse)
        #expect(try store.read { view in try view.value(Verse.self, at: key(8), using: coder) } == nil)
        try store.close()
    }

    @Test func `is not decoded by a coder of another codec`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.put([key(9)])
        let other = JSONCoder(codec: .application(16))
        #expect(throws: StoreError.unexpectedCodec(stored: .json, expected: .application(16))) {
            try store.read { view in try view.value(Verse.self, at: key(9), using: other) }
        }
        try store.close()
    }

    @Test func `that its coder cannot read throws the coder's error`() async throws {
        let directory = TemporaryStore()
        let store = try directory.open()
        try await store.put([key("no JSON")])
        #expect(throws: DecodingError.self) {
            try store.read { view in
                try view.value(Verse.self, at: key("no JSON"), using: JSONCoder(codec: .json))
            }
        }
        try store.close()
    }
}
