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
        var bench = UploadBench(jitter: 0.5)
        var server = PointServer()
        var isFlying = false
        func settle(_ more: [UploadEffect]) {
            #expect(more.sent.count <= 1, "seed \(seed)")
            if !more.sent.isEmpty {
                #expect(!isFlying, "seed \(seed): two at once")
                #expect(bench.stored.flight == more.sent[0], "seed \(seed): sent before it was stored")
                isFlying = true
            }
            #expect(bench.machine.isLive(at: bench.moment), "seed \(seed)")
            #expect(bench.flying.count <= 50, "seed \(seed)")
        }
        for _ in 0..<150 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0...2: settle(bench.append(Int.random(in: 1...40, using: &generator)))
            case 3:
                bench.pass(.milliseconds(Int64.random(in: 1...70_000, using: &generator)))
                settle(bench.step(.timer))
            case 4: settle(bench.step(.network(isUsable: Bool.random(using: &generator))))
            case 5: settle(bench.step(.foreground))
            case 6:
                isFlying = false
                settle(bench.restart())
                settle(bench.step(.network(isUsable: true)))
            case 7: settle(bench.step(.session(Bool.random(using: &generator) ? .signedIn("ada") : .signedOut)))
            case 8: settle(bench.step(.session(.signedIn("ada"))))
            default:
                guard isFlying, let flight = bench.stored.flight else { continue }
                isFlying = false
                let answer = Int.random(in: 0..<8, using: &generator)
                if answer != 7 {
                    let isSame = server.receive(bench.flying, under: flight.key)
                    #expect(isSame, "seed \(seed): another content")
                }
                switch answer {
                case 0: settle(bench.step(.answered(.none)))
                case 1: settle(bench.step(.answered(.head(AnswerHead(500)))))
                case 2: settle(bench.step(.answered(.head(AnswerHead(429, retryAfter: .seconds(3))))))
                case 7: settle(bench.step(.answered(.notSent)))
                default: settle(bench.step(.answered(.head(AnswerHead(200)))))
                }
            }
        }
        // The weather clears.
        settle(bench.step(.session(.signedIn("ada"))))
        settle(bench.step(.network(isUsable: true)))
        for _ in 0..<200 where !bench.points.isEmpty {
            if isFlying, let flight = bench.stored.flight {
                isFlying = false
                let isSame = server.receive(bench.flying, under: flight.key)
                #expect(isSame, "seed \(seed): another content")
                settle(bench.step(.answered(.head(AnswerHead(200)))))
            } else {
                bench.pass(.seconds(60))
                settle(bench.step(.timer))
            }
        }
        #expect(bench.points.isEmpty, "seed \(seed)")
        #expect(server.applied == Array(1..<bench.nextSequence), "seed \(seed)")
    }
}
