// Proves that the scanner agrees with Foundation's parser, however a text is cut into chunks.

import Foundation
import LarderJSON
import Testing

/// Foundation's parser is the second opinion on what is JSON and what a text means.
@Suite struct `A JSON scanner beside a reference parser` {
    static let seeds = Array(UInt64(1)...16)

    @Test(arguments: seeds)
    func `random valid texts mean the same to both`(seed: UInt64) throws {
        var maker = DocumentGenerator(seed: seed)
        for _ in 0..<400 {
            let text = maker.document()
            let ours = try value(of: try tokens([text]))
            let theirs = try JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
            guard isSame(ours, theirs) else {
                Issue.record("seed \(seed): \(String(decoding: text, as: UTF8.self))")
                return
            }
        }
    }

    @Test(arguments: seeds)
    func `mutated texts are accepted by both or by none`(seed: UInt64) {
        var maker = DocumentGenerator(seed: seed)
        var random = SeededGenerator(seed: seed &+ 1_000)
        for _ in 0..<1_500 {
            let text = mutated(maker.document(), &random)
            let isOurs = refusal(text) == nil
            let isTheirs = (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)) != nil
            if isOurs != isTheirs, !isDeliberate(text, isOurs: isOurs) {
                Issue.record("seed \(seed): ours \(isOurs), \(String(decoding: text, as: UTF8.self)) \(text)")
            }
        }
    }

    @Test(arguments: seeds)
    func `where a text is split makes no difference`(seed: UInt64) {
        var maker = DocumentGenerator(seed: seed)
        var random = SeededGenerator(seed: seed &+ 2_000)
        for round in 0..<60 {
            var text = maker.document()
            if round.isMultiple(of: 2) { text = mutated(text, &random) }
            guard text.count < 200 else { continue }
            let whole = Result { try tokens([text]) }
            #expect(same(whole, Result { try tokens(text.map { [$0] }) }), "seed \(seed), byte by byte")
            for split in 0...text.count {
                let parts = [Array(text[..<split]), [], Array(text[split...])]
                #expect(same(whole, Result { try tokens(parts) }), "seed \(seed), split at \(split)")
            }
        }
    }

    @Test(arguments: seeds.prefix(4))
    func `every proper prefix of an object or array is refused`(seed: UInt64) {
        var maker = DocumentGenerator(seed: seed)
        for _ in 0..<60 {
            let text = [0x5B] + maker.document() + [0x5D]
            for length in 0..<text.count {
                #expect(refusal(Array(text[..<length])) == JSONError(.unexpectedEnd, at: Int64(length)), "seed \(seed)")
            }
        }
    }

    /// The differences that are meant.
    private func isDeliberate(_ text: [UInt8], isOurs: Bool) -> Bool {
        if isOurs {
            // A number too great for a Double is JSON all the same: rows are kept as they stand.
            return (try? tokens([text]))?.contains {
                $0.token == .number && Double(String(decoding: $0.text, as: UTF8.self))?.isFinite != true
            }
                ?? false
        }
        // Foundation takes a comma in front of an end; RFC 8259 §4 and §5 do not.
        if let offset = refusal(text).flatMap({ $0.reason == .unexpectedByte ? Int($0.offset) : nil }),
            text[offset] == UInt8(ascii: "]") || text[offset] == UInt8(ascii: "}"),
            text[..<offset].last(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) == UInt8(ascii: ",")
        {
            return true
        }
        // Foundation guesses UTF-16 and UTF-32 from zero bytes; RFC 8259 §8.1 knows UTF-8 alone.
        return text.contains(0)
    }

    private func mutated(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text = text
        let alphabet =
            Array("{}[]:,\"\\0123456789.eE+-tfn ux\n".utf8) + [
                0x00, 0x1F, 0x7F, 0x80, 0xBF, 0xC3, 0xD8, 0xE0, 0xED, 0xF4,
            ]
        for _ in 0..<Int.random(in: 1...2, using: &random) where !text.isEmpty {
            let index = Int.random(in: text.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: text[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: text.remove(at: index)
            case 2: text.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
            case 3: text[index] = alphabet.randomElement(using: &random) ?? 0
            default: text.removeSubrange(index...)
            }
        }
        return text
    }

    private func same(_ first: Result<[ScannedToken], any Error>, _ second: Result<[ScannedToken], any Error>) -> Bool {
        switch (first, second) {
        case (.success(let first), .success(let second)): first == second
        case (.failure(let first), .failure(let second)): first as? JSONError == second as? JSONError
        default: false
        }
    }
}

/// The value that tokens spell.
indirect enum ParsedValue {
    case null
    case boolean(Bool)
    case number(Double)
    case string(String)
    case array([ParsedValue])
    case object([String: ParsedValue])
}

private struct Malformed: Error {}

private func value(of tokens: [ScannedToken]) throws -> ParsedValue {
    var rest = tokens[...]
    let value = try parseValue(&rest)
    guard rest.isEmpty else { throw Malformed() }
    return value
}

private func parseValue(_ rest: inout ArraySlice<ScannedToken>) throws -> ParsedValue {
    guard let seen = rest.popFirst() else { throw Malformed() }
    let text = String(decoding: seen.text, as: UTF8.self)
    switch seen.token {
    case .null: return .null
    case .true: return .boolean(true)
    case .false: return .boolean(false)
    case .number: return .number(try #require(Double(text)))
    case .string: return .string(text)
    case .arrayBegin:
        var items: [ParsedValue] = []
        while rest.first?.token != .arrayEnd { items.append(try parseValue(&rest)) }
        rest.removeFirst()
        return .array(items)
    case .objectBegin:
        var members: [String: ParsedValue] = [:]
        while let name = rest.popFirst(), name.token == .name {
            members[String(decoding: name.text, as: UTF8.self)] = try parseValue(&rest)
        }
        return .object(members)
    case .name, .arrayEnd, .objectEnd: throw Malformed()
    }
}

private func isSame(_ ours: ParsedValue, _ theirs: Any) -> Bool {
    switch (ours, theirs) {
    case (.null, is NSNull): true
    case (.boolean(let ours), let theirs as NSNumber): theirs.boolValue == ours
    case (.number(let ours), let theirs as NSNumber): abs(theirs.doubleValue - ours) <= abs(ours) * 1e-14
    case (.string(let ours), let theirs as String): Array(ours.utf8) == Array(theirs.utf8)
    case (.array(let ours), let theirs as [Any]): ours.count == theirs.count && zip(ours, theirs).allSatisfy(isSame)
    case (.object(let ours), let theirs as [String: Any]):
        ours.count == theirs.count && ours.allSatisfy { name, value in theirs[name].map { isSame(value, $0) } ?? false }
    default: false
    }
}
