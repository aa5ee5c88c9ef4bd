// Proves that a large value on a page that no commit has used harms nothing, also where the file grows over that page.

import Foundation
import LarderEngine
import Testing

@Suite struct `A large value beyond the file` {
    private let directory = TemporaryDirectory()

    /// Makes a store with 5 small rows and a large one, and leads the large one to another page.
    private func makeStore(leadingTo page: UInt8) throws {
        let environment = try Environment.open(path: directory.path, options: .small)
        for number in 0..<5 { try environment.set([UInt8(number)], [7]) }
        try environment.set([9], [UInt8](repeating: 7, count: 9000))
        try environment.close()
        let file = URL(fileURLWithPath: directory.path + "/data.mdb")
        var data = try Data(contentsOf: file)
        #expect(data.count / 4096 < page)
        // The node of a large value: its size, its flag, the size of the key, and the key. The page follows.
        let node = Data([0x28, 0x23, 0, 0, 1, 0, 1, 0, 9])
        var start = 0
        while let place = data.range(of: node, in: start..<data.count) {
            data[place.upperBound] = page
            start = place.upperBound
        }
        let handle = try FileHandle(forUpdating: file)
        try handle.write(contentsOf: data)
        try handle.close()
    }

    /// liblmdb would free the pages of others, as many as their first bytes happen to say.
    @Test(arguments: [false, true]) func `is not replaced when the file has grown over its page`(
        isChecked: Bool
    ) throws {
        try makeStore(leadingTo: 100)
        let environment = try Environment.open(path: directory.path, options: .small)
        if isChecked {
            #expect(try environment.pageProblems().map(\.isContained) == [true])
            var scrub = PageScrub()
            repeat { _ = try environment.checkPages(&scrub, budget: 5) } while !scrub.isAtStart
        }
        for number in 0..<200 {
            let value = [UInt8](repeating: UInt8(number), count: 3000)
            try environment.set([10, UInt8(number)], value, durability: .relaxed)
        }
        #expect(try environment.info().fileSize > 101 * 4096)
        #expect(throws: EngineError.self) { try environment.set([9], [1]) }
        #expect(throws: EngineError.self) {
            try environment.writeBlocking { transaction in
                _ = try transaction.remove(key: [9], in: environment.table("one"))
            }
        }
        #expect(throws: EngineError.self) { try environment.get([9]) }
        for number in 0..<200 {
            #expect(try environment.get([10, UInt8(number)]) == [UInt8](repeating: UInt8(number), count: 3000))
        }
        let problems = try environment.pageProblems()
        #expect(problems.count == 1, "\(problems)")
        try environment.close()
    }
}
