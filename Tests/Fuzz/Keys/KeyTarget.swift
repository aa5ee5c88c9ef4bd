// Proves for any bytes: a key that is read is written again as the same bytes, and the order of keys is that of values.

import LarderFormat

enum FuzzTarget {
    static var seeds: [[UInt8]] {
        let row = RowKey(resource: ResourceKey("translations", 19), type: "translation", key: "85108")
        var keys: [[UInt8]] = KeyKind.allCases.flatMap { kind in
            kind.samples(row).map { [0, UInt8(kind.rawValue)] + $0 }
        }
        keys += KeyOrder.allCases.map { [1, UInt8($0.rawValue), 3, 1, 2, 3, 2, 97, 98, 1, 99, 5, 49, 48, 0, 48, 49] }
        return keys + [[2, 3, 97, 98, 99, 1, 5, 0, 2, 100, 101, 3, 102, 103, 104]]
    }

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        switch input.byte() % 3 {
        case 0:
            let kind = KeyKind.allCases[input.number(below: KeyKind.allCases.count)]
            rewrite(kind, input.remainder())
        case 1:
            let order = KeyOrder.allCases[input.number(below: KeyOrder.allCases.count)]
            order.check(&input)
        default: KeyBudget.check(&input)
        }
    }

    /// Checks that a key that is accepted is written as it was.
    private static func rewrite(_ kind: KeyKind, _ key: [UInt8]) {
        var buffer = KeyBuffer()
        do throws(FormatError) {
            guard try kind.rewrite(key.rawSpan, to: &buffer) else { return }
        } catch {
            // A key that was read must be written, unless it is longer than any that a writer makes.
            if case .keyTooLong(let actual, let limit) = error {
                require(actual > limit, "\(kind): a key of \(actual) bytes is said to exceed \(limit)")
            }
            return
        }
        require(buffer.bytes.equals(key.rawSpan), "\(kind): \(key) is written as \(buffer.array())")
    }
}
