// Proves that a copy of a store succeeds whatever its history, and takes little memory.
import LarderEngine
import Testing

@Suite struct `A copy` {
    @Test func `of a store whose map has grown is complete`() throws {
        let (directory, copies) = (TemporaryDirectory(), TemporaryDirectory())
        let environment = try Environment.open(path: directory.path, options: .growing(from: 64 << 10))
        for row in 0..<100 {
            try environment.set([UInt8(row)], [UInt8](repeating: UInt8(row), count: 10_000), durability: .relaxed)
        }
        try environment.copy(to: copies.path + "/copy")
        let copy = try Environment.open(path: copies.path + "/copy", options: .small)
        #expect(try copy.contents() == environment.contents())
        try copy.close()
        try environment.close()
    }

    /// liblmdb keeps every page that a transaction has changed in memory until the commit.
    @Test func `of large values commits every few megabytes`() throws {
        let (directory, copies) = (TemporaryDirectory(), TemporaryDirectory())
        let environment = try Environment.open(path: directory.path, options: .small)
        for row in 0..<24 {
            try environment.set([UInt8(row)], [UInt8](repeating: 1, count: 1 << 20), durability: .relaxed)
        }
        var counts: [Int] = []
        try environment.copy(to: copies.path + "/copy") { counts.append($0) }
        #expect(counts.max() == 24)
        for (before, after) in zip([0] + counts, counts) { #expect(after - before <= 5, "\(counts)") }
        try environment.close()
    }
}
