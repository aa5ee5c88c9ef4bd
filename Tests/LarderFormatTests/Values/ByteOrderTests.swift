// Proves that spans of bytes compare as memcmp does.

import Testing

@testable import LarderFormat

@Suite struct `Spans of bytes` {
    @Test(arguments: [101, 102] as [UInt64])
    func `compare as memcmp does`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let left = (0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) }
            var right = left
            if !right.isEmpty, Bool.random(using: &random) {
                right[Int.random(in: 0..<right.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { right.append(UInt8.random(in: 0...255, using: &random)) }
            let precedes = left.rawSpan.lexicographicallyPrecedes(right.rawSpan)
            let equals = left.rawSpan.equals(right.rawSpan)
            let starts = right.rawSpan.starts(with: left.rawSpan)
            #expect(precedes == left.lexicographicallyPrecedes(right), "seed \(seed): \(left) \(right)")
            #expect(equals == (left == right), "seed \(seed): \(left) \(right)")
            #expect(starts == right.starts(with: left), "seed \(seed): \(left) \(right)")
        }
    }

    @Test func `have no integer past their end`() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        let values = [-1, 0, 1, 2, .max].map { bytes.rawSpan.littleEndian(at: $0, as: UInt64.self) }
        #expect(values == [nil, 0x0807_0605_0403_0201, 0x0908_0706_0504_0302, nil, nil])
        let ends = [-1, 8, 9, .max].map { bytes.rawSpan.byte(at: $0) }
        #expect(ends == [nil, 9, nil, nil])
    }
}
