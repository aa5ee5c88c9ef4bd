// Proves, over random histories, that an upload loses no point, applies none twice and never stalls.

import LarderFormat
import LarderStore
import LarderTesting
import LarderTransport
import Testing

@testable import LarderOutbox

/// What a server that loses answers has seen.
private struct PointServer {
    var contents: [UUIDBytes: [Int64]] = [:]
    var applied: [Int64] = []

    /// Takes a request; false when it is not the one that it answered under the key.
    mutating func receive(_ points: [Int64], under key: UUIDBytes) -> Bool {
        if let known = contents[key] { return known == points }
        contents[key] = points
        applied += points
        return true
    }
}

@Suite struct `Any history of an upload` {
    /// One of three hundred histories of a hundred and fifty events each.
    @Test(arguments: Array(UInt64(1)...300))
    func `loses no point and applies none twice, and never sleeps with work to do`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var fixture = UploadFixture(jitter: 0.5)
        var server = PointServer()
        var isSending = false
        func performEffects(_ more: [UploadEffect]) {
            #expect(more.sent.count <= 1, "seed \(seed)")
            if !more.sent.isEmpty {
                #expect(!isSending, "seed \(seed): two at once")
                #expect(fixture.stored.batch == more.sent[0], "seed \(seed): sent before it was stored")
                isSending = true
            }
            #expect(fixture.machine.isLive(at: fixture.reading), "seed \(seed)")
            #expect(fixture.flying.count <= 50, "seed \(seed)")
        }
        for _ in 0..<150 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...2: performEffects(fixture.append(Int.random(in: 1...40, using: &generator)))
            case 3:
                fixture.advanceClock(.milliseconds(Int64.random(in: 1...70_000, using: &generator)))
                performEffects(fixture.step(.timer))
            case 4: performEffects(fixture.step(.network(isUsable: Bool.random(using: &generator))))
            case 5: performEffects(fixture.step(.foreground))
            case 6:
                isSending = false
                performEffects(fixture.restart())
                performEffects(fixture.step(.network(isUsable: true)))
            case 7:
                performEffects(fixture.step(.session(Bool.random(using: &generator) ? .signedIn("ada") : .signedOut)))
            case 8: performEffects(fixture.step(.session(.signedIn("ada"))))
            default:
                guard isSending, let batch = fixture.stored.batch else { continue }
                isSending = false
                let answer = Int.random(in: 0..<8, using: &generator)
                if answer != 7 {
                    let isSame = server.receive(fixture.flying, under: batch.key)
                    #expect(isSame, "seed \(seed): another content")
                }
                switch answer {
                case 0: performEffects(fixture.step(.uploadEnded(.none)))
                case 1: performEffects(fixture.step(.uploadEnded(.head(ResponseSummary(500)))))
                case 2: performEffects(fixture.step(.uploadEnded(.head(ResponseSummary(429, retryAfter: .seconds(3))))))
                case 7: performEffects(fixture.step(.uploadEnded(.notSent)))
                default: performEffects(fixture.step(.uploadEnded(.head(ResponseSummary(200)))))
                }
            }
        }
        // The weather clears.
        performEffects(fixture.step(.session(.signedIn("ada"))))
        performEffects(fixture.step(.network(isUsable: true)))
        for _ in 0..<200 where !fixture.points.isEmpty {
            if isSending, let batch = fixture.stored.batch {
                isSending = false
                let isSame = server.receive(fixture.flying, under: batch.key)
                #expect(isSame, "seed \(seed): another content")
                performEffects(fixture.step(.uploadEnded(.head(ResponseSummary(200)))))
            } else {
                fixture.advanceClock(.seconds(60))
                performEffects(fixture.step(.timer))
            }
        }
        #expect(fixture.points.isEmpty, "seed \(seed)")
        #expect(server.applied == Array(1..<fixture.nextSequence), "seed \(seed)")
    }
}
