// Proves that a sealed record opens only with its own key, owner, table and bytes.

import LarderFormat
import Testing

@Suite struct `A sealed record` {
    private let seed = Checksum.ownerSeed(ResourceKey("translations", 19))
    private let key: [UInt8] = [0x15, 0x07, 0x02, 0x61, 0x00, 0x01, 0x15, 0x09]

    private func sealedRow(_ payload: [UInt8] = Array("payload".utf8)) -> [UInt8] {
        var value: [UInt8] = []
        Record.seal(
            row: payload.rawSpan, updatedAt: -5, codec: .json, key: key.rawSpan, seed: seed, into: &value)
        return value
    }

    @Test(arguments: [0, 1, 7, 8, 31, 32, 33, 300, 5000])
    func `opens to what was sealed`(count: Int) throws {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let opened = try row(open(sealedRow(payload), key: key, seed: seed))
        #expect(opened.updatedAt == -5)
        #expect(opened.payload == payload)
    }

    @Test func `with a byte flipped is an error`() {
        let value = sealedRow()
        for damaged in flips(of: value) {
            #expect(throws: FormatError.self, "\(hexadecimal(damaged))") { try open(damaged, key: key, seed: seed) }
        }
    }

    @Test func `cut short or made longer is an error`() {
        let value = sealedRow()
        for damaged in truncations(of: value) + [value + [0]] {
            #expect(throws: FormatError.self) { try open(damaged, key: key, seed: seed) }
        }
    }

    @Test func `under another key is an error`() {
        let value = sealedRow()
        for other in flips(of: key) + truncations(of: key) + [key + [0]] {
            #expect(throws: FormatError.checksumMismatch) { try open(value, key: other, seed: seed) }
        }
    }

    @Test func `with another owner or in another table is an error`() {
        let value = sealedRow()
        let others = [ResourceKey("translations", 20), ResourceKey("translation", 19), ResourceKey("", 19)]
        let seeds = others.map(Checksum.ownerSeed) + TableName.allCases.map(\.seed)
        for other in seeds {
            #expect(throws: FormatError.checksumMismatch) { try open(value, key: key, seed: other) }
        }
    }

    @Test func `of another codec than requested is an error`() {
        #expect(throws: FormatError.unexpectedCodec(1)) { try open(sealedRow(), key: key, seed: seed, codec: 2) }
        let structured = seal(body: [0x14], key: key, seed: seed)
        #expect(throws: FormatError.unexpectedCodec(2)) { try header(structured).payloadCodec() }
    }

    @Test func `opens unverified when only its content is damaged`() throws {
        var value = sealedRow()
        value[value.count - 1] ^= 1
        #expect(try openUnverified(value).count == value.count - RecordHeader.size)
        value[0] = 2
        #expect(throws: FormatError.unsupportedVersion(2)) { try openUnverified(value) }
    }

    @Test func `too short for a time of update is no row`() throws {
        let value = seal(body: [1, 2, 3, 4, 5, 6, 7], key: key, seed: seed)
        #expect(throws: FormatError.truncated(offset: 7)) { try row(open(value, key: key, seed: seed)) }
    }

    @Test func `has a payload codec of the defined ones only`() {
        let defined = (UInt8.min...UInt8.max).filter { PayloadCodec(rawValue: $0) != nil }
        #expect(defined == [0, 1] + Array(16...255))
        #expect(PayloadCodec.application(16).rawValue == 16)
        #expect(PayloadCodec.json != .opaque)
    }
}
