internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks `buffers`. FORMAT.md, Invariant 19.
    func verifyBuffers(_ snapshot: borrowing ReadTransaction) throws {
        var rings: [BufferName: BufferRecord] = [:]
        var damaged: Set<BufferName> = []
        var points: [BufferName: (count: Int64, highest: Int64, inFlight: Int64)] = [:]
        try walk(.buffers, snapshot) { entry in
            switch try key(of: entry, .buffers, BufferKey.init(decoding:)) {
            case .ring(let name):
                let found = try record(of: entry, .buffers, at: Self.place(name), BufferRecord.init(decoding:))
                if let found { rings[name] = found } else { damaged.insert(name) }
            case .point(let name, let sequence):
                let location = "\(Self.place(name)) \(sequence)"
                // A damaged point is one all the same: it is there.
                _ = try record(of: entry, .buffers, at: location, BufferPointRecord.init(decoding:))
                var known = points[name] ?? (0, 0, 0)
                known.count += 1
                known.highest = max(known.highest, sequence)
                if let flight = rings[name]?.flight, (flight.first...flight.last).contains(sequence) {
                    known.inFlight += 1
                }
                points[name] = known
            case nil: return
            }
        }
        if broken.contains(.buffers) { return }
        for name in Set(rings.keys).union(points.keys) where !damaged.contains(name) {
            try compare(rings[name], points[name] ?? (0, 0, 0), at: Self.place(name))
        }
    }

    private func compare(
        _ ring: BufferRecord?, _ points: (count: Int64, highest: Int64, inFlight: Int64), at location: String
    ) throws(Stop) {
        guard let ring else {
            return try find(.orphan, in: .buffers, at: location, "\(points.count) points without a ring")
        }
        if ring.pointCount != points.count {
            try find(
                .count, in: .buffers, at: location, "\(ring.pointCount) points noted, \(points.count) found",
                severity: .minor)
        }
        if ring.nextSequence <= points.highest {
            try find(
                .counter, in: .buffers, at: location,
                "the next sequence is \(ring.nextSequence), and \(points.highest) is in use")
        }
        if ring.flight != nil, points.inFlight == 0 {
            try find(.pointer, in: .buffers, at: location, "no point of the flight is there")
        }
    }

    private static func place(_ name: BufferName) -> String {
        name.name + (name.account.map { " of \($0)" } ?? "")
    }
}
