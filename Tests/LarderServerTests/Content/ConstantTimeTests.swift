// Proves that a comparison with a secret is exact, and reads as much whether the first byte differs or none.

import LarderServer
import Testing

@Suite struct `A comparison with a secret` {
    /// Bytes that count how often one of them is read.
    private final class CountedBytes: Collection {
        let bytes: [UInt8]
        private(set) var reads = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var startIndex: Int { 0 }
        var endIndex: Int { bytes.count }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> UInt8 {
            reads += 1
            return bytes[index]
        }
    }

    private let secret = Array("correct horse".utf8)

    @Test func `reads every received byte once, wherever the first difference is`() {
        for index in secret.indices {
            var bytes = secret
            bytes[index] ^= 1
            let received = CountedBytes(bytes)
            #expect(!ConstantTime.isEqual(received, to: secret))
            #expect(received.reads == secret.count)
        }
        let received = CountedBytes(secret)
        #expect(ConstantTime.isEqual(received, to: secret))
        #expect(received.reads == secret.count)
    }

    @Test func `refuses what is shorter, longer or repeated`() {
        for count in secret.indices { #expect(!ConstantTime.isEqual(secret.prefix(count), to: secret)) }
        for more in [[0], secret, [0] + secret] { #expect(!ConstantTime.isEqual(secret + more, to: secret)) }
    }

    @Test func `refuses a text that is missing, or the same only to a reader`() {
        #expect(ConstantTime.isEqual("caf\u{E9}", to: "caf\u{E9}"))
        #expect(!ConstantTime.isEqual("cafe\u{301}", to: "caf\u{E9}"))
        #expect(!ConstantTime.isEqual(nil, to: "x"))
        #expect(!ConstantTime.isEqual(nil, to: ""))
        #expect(ConstantTime.isEqual("", to: ""))
        #expect(!ConstantTime.isEqual("\0", to: ""))
    }
}
