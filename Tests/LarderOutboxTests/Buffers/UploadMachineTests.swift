import LarderFormat
import LarderStore
import LarderTransport
import Testing

@testable import LarderOutbox

@Suite struct `An upload of points` {
    @Test func `goes out at once when there is a network, and waits without one`() {
        var bench = UploadBench()
        #expect(bench.append(1) == [])
        #expect(bench.step(.network(isUsable: true)).sent.map(\.sequences) == [1...1])
        #expect(bench.step(.answered(.head(AnswerHead(200)))).sent == [])
        #expect(bench.points == [])
        #expect(bench.append(1).sent.map(\.sequences) == [2...2])
    }

    @Test func `takes at most fifty, the oldest first, one request at a time [§4.5.2]`() {
        var bench = UploadBench()
        _ = bench.append(120)
        let first = bench.step(.network(isUsable: true)).sent
        #expect(first.map(\.sequences) == [1...50])
        #expect(bench.append(3).sent == [])
        let second = bench.step(.answered(.head(AnswerHead(201)))).sent
        #expect(second.map(\.sequences) == [51...100])
        #expect(bench.step(.answered(.head(AnswerHead(200)))).sent.map(\.sequences) == [101...123])
        _ = bench.step(.answered(.head(AnswerHead(200))))
        #expect(bench.points == [] && bench.stored == BufferUpload())
    }

    @Test func `is sent again as it was, under its key, when nobody answered`() throws {
        var bench = UploadBench()
        _ = bench.append(2)
        let flight = try #require(bench.step(.network(isUsable: true)).sent.first)
        _ = bench.append(5)
        let after = bench.step(.answered(.none))
        #expect(after.sent == [] && after.armed == bench.moment.elapsed + .seconds(1))
        bench.pass(.seconds(1))
        #expect(bench.step(.timer).sent == [flight])
        #expect(bench.stored.tries == 2)
    }

    @Test func `is sent again as it was after a crash, whatever came meanwhile`() throws {
        var bench = UploadBench()
        _ = bench.append(2)
        let flight = try #require(bench.step(.network(isUsable: true)).sent.first)
        #expect(bench.stored.flight == flight)
        _ = bench.append(60)
        _ = bench.restart()
        #expect(bench.step(.network(isUsable: true)).sent == [flight])
    }

    @Test func `waits 1, 2, 4, 8, 16, 32 and then 60 seconds, over restarts too`() {
        var bench = UploadBench()
        _ = bench.append(1)
        var effects = bench.step(.network(isUsable: true))
        for (number, wait) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            #expect(effects.sent.count == 1, "try \(number)")
            effects = bench.step(.answered(.head(AnswerHead(503))))
            #expect(effects.armed == bench.moment.elapsed + .seconds(wait))
            bench.pass(.seconds(wait) - .milliseconds(1))
            if number == 3 {
                _ = bench.restart()
                #expect(bench.step(.network(isUsable: true)).sent == [])
            }
            #expect(bench.step(.timer).sent == [])
            bench.pass(.milliseconds(1))
            effects = bench.step(.timer)
        }
        #expect(bench.stored.failures == 8)
    }

    @Test func `goes out at once when the network returns, but not before the server wants it`() {
        var bench = UploadBench()
        _ = bench.append(1)
        _ = bench.step(.network(isUsable: true))
        for _ in 1...6 {
            _ = bench.step(.answered(.head(AnswerHead(500))))
            bench.pass(.seconds(60))
            _ = bench.step(.timer)
        }
        _ = bench.step(.answered(.notSent))
        _ = bench.step(.network(isUsable: false))
        #expect(bench.step(.network(isUsable: true)).sent.count == 1)
        _ = bench.step(.answered(.head(AnswerHead(429, retryAfter: .seconds(90)))))
        _ = bench.step(.network(isUsable: false))
        #expect(bench.step(.network(isUsable: true)).armed == bench.moment.elapsed + .seconds(90))
        #expect(bench.step(.foreground).sent == [])
        bench.pass(.seconds(90))
        #expect(bench.step(.timer).sent.count == 1)
    }

    @Test func `is not sent in a circle to a server that takes no login`() {
        var bench = UploadBench()
        _ = bench.append(1)
        _ = bench.step(.network(isUsable: true))
        for wait in [0, 1, 2, 4] {
            let effects = bench.step(.answered(.head(AnswerHead(401))))
            #expect(effects.contains(.expired))
            let signedIn = bench.step(.session(.signedIn("ada")))
            if wait > 0 {
                #expect(signedIn.sent == [] && signedIn.armed == bench.moment.elapsed + .seconds(wait))
                bench.pass(.seconds(wait))
            }
            #expect((wait == 0 ? signedIn : bench.step(.timer)).sent.count == 1)
        }
    }

    @Test func `waits for its account after a 401, and counts it for nothing`() {
        var bench = UploadBench()
        _ = bench.append(1)
        _ = bench.step(.network(isUsable: true))
        let effects = bench.step(.answered(.head(AnswerHead(401))))
        #expect(effects.contains(.expired) && effects.armed == nil)
        #expect(bench.stored.failures == 0)
        bench.pass(.seconds(1000))
        #expect(bench.step(.foreground).sent == [])
        #expect(bench.step(.session(.signedIn("bob"))).sent == [])
        #expect(bench.step(.session(.signedIn(nil))).sent == [])
        #expect(bench.step(.session(.signedOut)).sent == [])
        #expect(bench.step(.session(.signedIn("ada"))).sent.map(\.sequences) == [1...1])
    }

    @Test func `finds the one point that the server refuses, and gives up no other`() {
        var bench = UploadBench()
        _ = bench.append(4)
        var effects = bench.step(.network(isUsable: true))
        var uploaded: [Int64] = []
        for _ in 0..<20 {
            guard !effects.sent.isEmpty else { break }
            let flying = bench.flying
            if flying.contains(3) {
                effects = bench.step(.answered(.head(AnswerHead(422))))
            } else {
                uploaded += flying
                effects = bench.step(.answered(.head(AnswerHead(200))))
            }
        }
        #expect(uploaded == [1, 2, 4])
        #expect(bench.refused == [3])
        #expect(bench.points == [])
        #expect(bench.append(3).sent.map(\.sequences) == [5...7])
    }

    @Test(arguments: [301, 403, 404, 405, 409, 410])
    func `keeps the points when the request was refused for anything else`(status: Int) {
        var bench = UploadBench()
        _ = bench.append(3)
        _ = bench.step(.network(isUsable: true))
        let effects = bench.step(.answered(.head(AnswerHead(status))))
        #expect(effects.armed == bench.moment.elapsed + .seconds(1))
        #expect(bench.points == [1, 2, 3] && bench.refused == [])
    }

    @Test(arguments: [200, 302, 400, 413, 422, 511])
    func `keeps the points when something else answered, or the answer broke off`(status: Int) {
        var bench = UploadBench()
        _ = bench.append(3)
        _ = bench.step(.network(isUsable: true))
        for isForeign in [true, false, true] {
            _ = bench.step(.answered(.head(AnswerHead(status, isForeign: isForeign, isWhole: isForeign))))
            bench.pass(.seconds(60))
            #expect(bench.step(.timer).sent.map(\.sequences) == [1...3])
        }
        #expect(bench.points == [1, 2, 3] && bench.refused == [])
    }

    @Test
    func `leaves the server alone for as long as it asked anybody, also when the network returns after a restart`() {
        var bench = UploadBench()
        _ = bench.append(1)
        _ = bench.step(.network(isUsable: true))
        let step = bench.take(.answered(.head(AnswerHead(429, retryAfter: .seconds(60)))))
        #expect(step.serverWait == .note(.seconds(60)))
        bench = UploadBench()
        _ = bench.append(1)
        _ = bench.step(.ring(bench.stored, oldest: [1], serverWait: .seconds(60)))
        #expect(bench.step(.network(isUsable: true)).sent == [])
        _ = bench.step(.network(isUsable: false))
        #expect(bench.step(.network(isUsable: true)).armed == bench.moment.elapsed + .seconds(60))
        #expect(bench.step(.foreground).sent == [])
        bench.pass(.seconds(60))
        #expect(bench.step(.timer).sent.count == 1)
    }

    @Test func `leaves the server alone for the policy's longest time, however many points are appended meanwhile`()
        throws
    {
        var bench = UploadBench(longestRetryAfter: .seconds(600))
        _ = bench.append(1)
        _ = bench.restart(serverWait: .seconds(86_400))
        let until = try #require(bench.step(.network(isUsable: true)).armed)
        #expect(until == bench.moment.elapsed + .seconds(600))
        for number in 2...4 as ClosedRange<Int64> {
            bench.pass(.seconds(60))
            bench.points.append(number)
            let looked = bench.step(.ring(bench.stored, oldest: bench.points, serverWait: .seconds(80_000)))
            #expect(looked.armed == nil && looked.sent == [])
        }
        bench.pass(until - bench.moment.elapsed)
        #expect(bench.step(.timer).sent.count == 1)
    }

    @Test func `is due when the clock was set back over a restart, unless the server asked for time`() {
        for rest in [nil, Duration.seconds(7200)] {
            var bench = UploadBench()
            _ = bench.append(1)
            _ = bench.step(.network(isUsable: true))
            _ = bench.step(.answered(.head(AnswerHead(503, retryAfter: rest))))
            if rest == nil { bench.moment.now -= 3_600_000 }
            _ = bench.restart(serverWait: rest)
            let effects = bench.step(.network(isUsable: true))
            #expect(effects.sent.count == (rest == nil ? 1 : 0))
            #expect(effects.armed == rest.map { bench.moment.elapsed + $0 })
        }
    }

    @Test(arguments: [200, 302, 403, 429, 503, 511])
    func `is not put off by what something else asks for in the server's place`(status: Int) {
        var bench = UploadBench()
        _ = bench.append(1)
        _ = bench.step(.network(isUsable: true))
        let head = AnswerHead(status, retryAfter: .seconds(3600), isForeign: true)
        let step = bench.take(.answered(.head(head)))
        #expect(step.serverWait == nil && step.effects.armed == bench.moment.elapsed + .seconds(1))
    }

    @Test func `is over when the server answers from memory`() {
        var bench = UploadBench(outcomes: .replaysAsConflict)
        _ = bench.append(1)
        _ = bench.step(.network(isUsable: true))
        _ = bench.step(.answered(.none))
        bench.pass(.seconds(1))
        #expect(bench.step(.timer).sent.count == 1)
        _ = bench.step(.answered(.head(AnswerHead(409))))
        #expect(bench.points == [])
    }

    @Test func `begins nothing that could not be stored, and tries again`() {
        var bench = UploadBench()
        _ = bench.append(1)
        let lost = bench.take(.network(isUsable: true))
        #expect(lost.change != nil)
        // The disk is full: nothing of it happened.
        let held = bench.take(.storageFailed)
        #expect(held.change == nil && held.effects.sent == [])
        #expect(held.effects.armed == bench.moment.elapsed + .seconds(1))
        #expect(bench.step(bench.ring).sent == [])
        bench.pass(.seconds(1))
        #expect(bench.step(.timer).sent.count == 1)
    }
}
