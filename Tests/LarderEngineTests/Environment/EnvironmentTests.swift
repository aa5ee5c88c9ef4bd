// Proves that an environment reads back what was written, also after it is reopened.

import Foundation
import LarderEngine
import Testing

@Suite struct `An environment` {
    @Test func `reads back what was written, also after it was closed and opened again`() throws {
        let directory = TemporaryDirectory()
        for round in 0..<3 {
            let environment = try Environment.open(path: directory.path, options: .init(tables: ["one", "two"]))
            let table = environment.table("one")
            try environment.writeBlocking { transaction in
                let (key, value) = (bytes("key \(round)"), bytes("value \(round)"))
                unsafe try transaction.set(value.span.bytes, forKey: key.span.bytes, in: table)
            }
            for earlier in 0...round {
                let found = try environment.read { view in
                    let key = bytes("key \(earlier)")
                    guard let value = unsafe try view.value(forKey: key.span.bytes, in: table) else { return [UInt8]() }
                    return unsafe value.withUnsafeBytes { unsafe Array($0) }
                }
                #expect(found == bytes("value \(earlier)"))
            }
            try environment.close()
        }
    }
}
