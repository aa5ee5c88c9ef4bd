// Proves that the bytes of FORMAT.md, "Sealed values", are those that this library writes and opens.

#if Encryption
import Crypto
import Foundation
import LarderFormat
import Testing

@testable import LarderEncryption
@testable import LarderEngine
@testable import LarderStore

@Suite struct `The vectors of sealed values` {
    /// The lines of a vector block of FORMAT.md.
    private func block(_ name: String) throws -> [String: String] {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "FORMAT.md"), encoding: .utf8)
        let text = try #require(page.components(separatedBy: "```vector name=\(name)\n").dropFirst().first)
        let end = try #require(text.range(of: "```"))
        let lines = text[..<end.lowerBound].split(separator: "\n")
        return try Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = try #require(line.range(of: " = "))
                return (String(line[..<parts.lowerBound]), String(line[parts.upperBound...]))
            })
    }

    private func hexadecimal(_ text: String?) throws -> [UInt8] {
        try #require(text).split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
    }

    @Test func `are sealed and opened`() throws {
        let block = try block("sealed")
        let (plain, key) = (try hexadecimal(block["plain bytes"]), try hexadecimal(block["key bytes"]))
        let expected = try hexadecimal(block["sealed bytes"])
        let number = try #require(block["key number"].flatMap { UInt32($0) })
        let table = try #require(block["table"])
        let data = SealedValue.additionalData(key: number, table: table, key: key.rawSpan)
        #expect(data == (try hexadecimal(block["additional data"])))
        let sealing = AESSealingKey(SymmetricKey(data: try hexadecimal(block["data key"])))
        let nonce = try AES.GCM.Nonce(data: hexadecimal(block["nonce"]))
        var sealed = [UInt8](repeating: 0, count: plain.count + SealedValue.overhead)
        sealed.withMutableRawSpan { output in
            SealedValue.writeHead(key: number, into: &output)
            sealing.seal(
                plain.rawSpan, additionalData: data, nonce: nonce, into: &output, at: SealedValue.boxOffset)
        }
        #expect(sealed == expected)
        let ring = KeyRing([.init(number: number, wrapped: [], key: sealing)])
        var opened = [UInt8](repeating: 0, count: plain.count)
        let isOpened = opened.withMutableRawSpan { output in
            ring.opens(expected.rawSpan, of: key.rawSpan, in: table, into: &output)
        }
        #expect(isOpened && opened == plain)
    }

    @Test func `hide texts in keys`() throws {
        let block = try block("sealed")
        let nameKey = try hexadecimal(block["name key"])
        let host = AESHostKey { throw CancellationError() }
        let texts = KeyTexts { host.hash($0, key: nameKey) }
        let place = ResponseAddress(key: "https://example.test/", variant: 1, texts)
        let key = try KeyBuffer { try ResponseKey.response(place).append(to: &$0) }.array()
        #expect(key == (try hexadecimal(block["response key of \"https://example.test/\", 1"])))
        #expect(texts.tag("start") == block["tag \"start\""])
    }

    @Test func `wrap keys`() throws {
        let block = try block("wrapped-key")
        let id = try #require(block["store id"].flatMap { UUIDBytes($0) })
        let number = try #require(block["number"].flatMap { UInt32($0) })
        let data = SealedValue.additionalData(wrappedKey: number, of: id)
        #expect(data == (try hexadecimal(block["additional data"])))
        let hostKey = try hexadecimal(block["host key"])
        let key = try #require(EncryptionKey(bytes: hostKey))
        let host = AESHostKey { key }
        #expect(try host.unwrap(hexadecimal(block["wrapped"]), additionalData: data) == (try hexadecimal(block["key"])))
        #expect(try host.unwrap(hexadecimal(block["wrapped"]), additionalData: data.dropLast()) == nil)
        let wrapped = try host.wrap(hexadecimal(block["key"]), additionalData: data)
        #expect(wrapped.count == 60)
        #expect(try host.unwrap(wrapped, additionalData: data) == (try hexadecimal(block["key"])))
    }
}
#endif
