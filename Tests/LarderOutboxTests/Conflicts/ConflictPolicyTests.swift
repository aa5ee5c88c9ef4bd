// Proves that last write wins, field merge and three-way merge resolve conflicts as specified.

import LarderFormat
import LarderJSON
import LarderOutbox
import LarderStore
import Testing

/// A conflict about a row of JSON, without a store.
private func conflict(
    base: String? = nil, local: String?, remote: String?, writtenAt: Int64? = nil, heldAt: Int64? = nil,
    revisions: (base: Int64?, remote: Int64?) = (nil, nil), isRemoteKnown: Bool = true
) throws -> Conflict {
    let draft = OutboxDraft(
        id: UUIDBytes(high: 1, low: 2), lane: "a", createdAt: 5, mutationType: "t", method: "PUT", endpoint: "/a",
        payload: Array((local ?? "").utf8))
    return Conflict(
        entry: OutboxEntry(draft: draft), row: nil, status: 409,
        base: base.map { .init(payload: Array($0.utf8), revision: revisions.base) },
        local: .init(payload: local.map { Array($0.utf8) }, updatedAt: writtenAt),
        remote: isRemoteKnown
            ? .init(payload: remote.map { Array($0.utf8) }, updatedAt: heldAt, revision: revisions.remote) : nil)
}

private func sent(_ resolution: ConflictResolution) -> String? {
    if case .send(let body, nil) = resolution { String(decoding: body, as: UTF8.self) } else { nil }
}

@Suite struct `Last write wins` {
    @Test(arguments: [(11, 10, true), (10, 10, false), (9, 10, false)] as [(Int64, Int64, Bool)])
    func `keeps the local write only if it is strictly newer: a tie goes to the server [§4.4.6]`(
        written: Int64, held: Int64, isLocal: Bool
    ) async throws {
        let resolution = try await ConflictPolicy.lastWriteWins.decide(
            conflict(local: "{}", remote: "{}", writtenAt: written, heldAt: held))
        #expect(resolution == (isLocal ? .keepLocal : .keepRemote))
    }

    @Test func `compares the server's revisions before the clocks, and a phone that is hours ahead wins nothing`()
        async throws
    {
        let behind = try conflict(
            base: "{}", local: "{}", remote: "{}", writtenAt: 1_000_000, heldAt: 10, revisions: (4, 5))
        #expect(try await ConflictPolicy.lastWriteWins.decide(behind) == .keepRemote)
        let tied = try conflict(base: "{}", local: "{}", remote: "{}", writtenAt: 11, heldAt: 10, revisions: (5, 5))
        #expect(try await ConflictPolicy.lastWriteWins.decide(tied) == .keepLocal)
        let restored = try conflict(base: "{}", local: "{}", remote: "{}", writtenAt: 1, heldAt: 10, revisions: (6, 5))
        #expect(try await ConflictPolicy.lastWriteWins.decide(restored) == .keepLocal)
    }

    @Test func `goes to the server where a time or the server's state is not known`() async throws {
        let timeless = try conflict(local: "{}", remote: "{}", writtenAt: 11)
        #expect(try await ConflictPolicy.lastWriteWins.decide(timeless) == .keepRemote)
        let unknown = try conflict(local: "{}", remote: nil, writtenAt: 11, isRemoteKnown: false)
        #expect(try await ConflictPolicy.lastWriteWins.decide(unknown) == .keepRemote)
    }
}

@Suite struct `A merge of fields` {
    @Test func `uses status and notes from here and approvals from the server [§4.4.6]`() async throws {
        let resolution = try await ConflictPolicy.source.decide(
            conflict(
                local: #"{"id":7,"status":"done","notes":"short","approvedBy":"me","approvedAt":1,"title":"old"}"#,
                remote: #"{"id":7,"status":"open","title":"new","approvedBy":"lead","approvedAt":9.50}"#))
        #expect(
            sent(resolution)
                == #"{"id":7,"status":"done","title":"new","approvedBy":"lead","approvedAt":9.50,"notes":"short"}"#)
    }

    @Test func `removes a local field that the local row lacks, and finds names however they are spelled`() async throws
    {
        let policy = ConflictPolicy.fieldMerge(local: ["notes", "é"])
        let resolution = try await policy.decide(
            conflict(local: #"{"\u00e9":1}"#, remote: #"{"notes":"x","a":1,"é":2}"#))
        #expect(sent(resolution) == #"{"a":1,"é":1}"#)
    }

    @Test func `sends nothing when the server holds the outcome already`() async throws {
        let same = try conflict(local: #"{"status":"open", "x":1}"#, remote: #"{"status":"open","x":2}"#)
        #expect(try await ConflictPolicy.source.decide(same) == .keepRemote)
    }

    @Test(arguments: ["[1]", "null", "{\"a\":", ""])
    func `leaves to the server what is no object`(text: String) async throws {
        #expect(try await ConflictPolicy.source.decide(conflict(local: text, remote: #"{"status":1}"#)) == .keepRemote)
        #expect(try await ConflictPolicy.source.decide(conflict(local: #"{"status":1}"#, remote: text)) == .keepRemote)
    }
}

@Suite struct `A three-way merge` {
    private let base = #"{"a":1,"b":1,"c":1,"d":1}"#

    @Test func `uses each change from the side that made it`() async throws {
        let resolution = try await ConflictPolicy.threeWayMerge().decide(
            conflict(base: base, local: #"{"a":2,"b":1,"c":1,"e":5}"#, remote: #"{"a":1,"b":3,"d":1,"f":6}"#))
        #expect(sent(resolution) == #"{"a":2,"b":3,"f":6,"e":5}"#)
    }

    @Test(
        arguments: [
            (.remote, #"{"a":3,"b":2}"#), (.local, #"{"a":2,"b":2}"#), (.latest, #"{"a":2,"b":2}"#),
        ] as [(ConflictPolicy.Precedence, String)])
    func `applies the rule where both changed the same`(rule: ConflictPolicy.Precedence, wanted: String) async throws {
        let resolution = try await ConflictPolicy.threeWayMerge(otherwise: rule).decide(
            conflict(
                base: #"{"a":1,"b":1}"#, local: #"{"a":2,"b":2}"#, remote: #"{"a":3,"b":1}"#, writtenAt: 2, heldAt: 1))
        #expect(sent(resolution) == wanted)
    }

    @Test func `leaves it to the host where both changed the same and no side has precedence`() async throws {
        let policy = ConflictPolicy.threeWayMerge(otherwise: .host)
        let both = try conflict(base: #"{"a":1}"#, local: #"{"a":2}"#, remote: #"{"a":3}"#)
        #expect(try await policy.decide(both) == .deferToHost)
        let apart = try conflict(base: #"{"a":1,"b":1}"#, local: #"{"a":2,"b":1}"#, remote: #"{"a":1,"b":2}"#)
        #expect(sent(try await policy.decide(apart)) == #"{"a":2,"b":2}"#)
    }

    @Test func `decides about the whole where one side is removed`() async throws {
        let removedHere = try conflict(base: base, local: nil, remote: base)
        #expect(try await ConflictPolicy.threeWayMerge().decide(removedHere) == .keepRemote)
        #expect(try await ConflictPolicy.threeWayMerge(otherwise: .local).decide(removedHere) == .keepLocal)
        let removedBoth = try conflict(base: base, local: nil, remote: nil)
        #expect(try await ConflictPolicy.threeWayMerge(otherwise: .local).decide(removedBoth) == .keepRemote)
    }

    @Test func `of random objects keeps every change that only one side made`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        func next(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
        func text(_ fields: [Int: Int]) -> String {
            "{" + fields.sorted { $0.key < $1.key }.map { "\"f\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        }
        for _ in 0..<300 {
            var base: [Int: Int] = [:]
            for field in 0..<next(6) { base[field] = next(3) }
            var (local, remote) = (base, base)
            for _ in 0..<next(4) { local[next(6)] = next(2) == 0 ? nil : next(3) }
            for _ in 0..<next(4) { remote[next(6)] = next(2) == 0 ? nil : next(3) }
            var wanted: [Int: Int] = [:]
            for field in 0..<6 {
                let isOurs = local[field] != base[field] && remote[field] == base[field]
                wanted[field] = isOurs ? local[field] : remote[field]
            }
            let resolution = try await ConflictPolicy.threeWayMerge().decide(
                conflict(base: text(base), local: text(local), remote: text(remote)))
            let merged = sent(resolution) ?? text(remote)
            let members = try #require(JSONMembers(Array(merged.utf8)))
            let found = Dictionary(
                uniqueKeysWithValues: members.members.map {
                    (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
                })
            let expected = Dictionary(uniqueKeysWithValues: wanted.map { ("f\($0.key)", "\($0.value)") })
            #expect(found == expected, "seed \(seed)")
        }
    }
}
