// SimulatedExchange+Receive: when and how far a response arrives.

internal import LarderTesting
internal import LarderTransport

extension SimulatedNetwork {
    /// How long an exchange takes.
    struct Timing {
        /// When the head comes, in milliseconds.
        let head: Int64
        /// Between two chunks, at most, in milliseconds.
        let between: Int64
        let chunks: Int

        init(_ profile: FaultProfile, using generator: inout SeededGenerator) {
            let span = Int(clamping: profile.latency.upperBound - profile.latency.lowerBound)
            let head = profile.latency.lowerBound + Int64(generator.below(span + 1))
            let factor: Int64 = generator.happens(perMille: profile.slow) ? 50 : 1
            self.head = head * factor
            between = max(1, head * factor / 2)
            chunks = 1 + generator.below(max(1, profile.chunks))
        }
    }
}

extension SimulatedExchange {
    /// Ends without a head.
    mutating func end(after time: Int64) {
        switch fault {
        case .stalledBeforeHead:
            ending = .stalled
        case .lostBefore:
            ending = .failed(.noConnection(reason: "simulated"))
            endsAfter = time
        default:
            ending = .failed(.connectionLost(reason: "simulated"))
            endsAfter = time
        }
    }

    /// Lets an answer come, as far as the fault lets it.
    mutating func receive(
        _ answer: ModelAnswer, _ timing: SimulatedNetwork.Timing, using generator: inout SeededGenerator
    ) {
        if fault == .lostAfter { return end(after: timing.head) }
        headAfter = timing.head
        status = answer.status
        headers = answer.headers
        var body = answer.body
        if !body.isEmpty {
            let place = generator.below(body.count)
            switch fault {
            case .truncated, .cut, .stalledInBody: body.removeLast(body.count - place)
            case .corrupted: body[place] = UInt8(truncatingIfNeeded: 1 + generator.below(8))
            default: break
            }
        }
        var time = timing.head
        let size = max(1, (body.count + timing.chunks - 1) / timing.chunks)
        var start = 0
        while start < body.count {
            time += Int64(generator.below(Int(clamping: timing.between)))
            let end = min(body.count, start + size)
            chunks.append(Chunk(after: time, bytes: end - start == body.count ? body : Array(body[start..<end])))
            start = end
        }
        switch fault {
        case .stalledInBody: ending = .stalled
        case .cut:
            ending = .failed(.connectionLost(reason: "simulated"))
            endsAfter = time
        default: endsAfter = time
        }
    }
}
