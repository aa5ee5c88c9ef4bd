internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks `buffers`. FORMAT.md, "Invariants".
    func verifyBuffers(_ source: ReadTransaction) throws {
        var rings: [BufferName: BufferState] = [:]
        var damaged: Set<BufferName> = []
        var points: [BufferName: WalkedPoints] = [:]
        try walk(.buffers, source) { entry in
            switch try key(of: entry, .buffers, BufferKey.init(decoding:)) {
            case .ring(let name):
                let found = try record(of: entry, .buffers, at: Self.place(name), BufferState.init(decoding:))
                if let found { rings[name] = found } else { damaged.insert(name) }
            case .point(let name, let sequence):
                let location = "\(Self.place(name)) \(sequence)"
                // A damaged point counts too, because it exists.
                _ = try record(of: entry, .buffers, at: location, BufferedPoint.init(decoding:))
                points[name, default: WalkedPoints()].add(sequence, batch: rings[name]?.upload.batch)
            case nil: return
            }
        }
        if broken.contains(.buffers) { return }
        for name in Set(rings.keys).union(points.keys) where !damaged.contains(name) {
            try compare(rings[name], points[name] ?? WalkedPoints(), at: Self.place(name))
        }
    }

    private func compare(
        _ ring: BufferState?, _ points: WalkedPoints, at location: String
    ) throws(CallbackError) {
        guard let ring else {
            return try reportFinding(.orphan, in: .buffers, at: location, "\(points.count) points without a ring")
        }
        try compare(ring.pointCount, points.count, "points", in: .buffers, at: location, severity: .minor)
        if ring.nextSequence <= points.highest {
            try reportFinding(
                .counter, in: .buffers, at: location,
                "the next sequence is \(ring.nextSequence), and \(points.highest) is in use")
        }
        if ring.upload.batch != nil, !(points.hasBatchStart && points.hasBatchEnd) {
            try reportFinding(
                .pointer, in: .buffers, at: location, "the first or the last point of the upload batch is missing")
        }
    }

    private static func place(_ name: BufferName) -> String {
        name.name + (name.account.map { " of \($0)" } ?? "")
    }
}

/// The points found of one ring.
private struct WalkedPoints {
    private(set) var count = 0
    private(set) var highest: Int64 = 0
    /// Whether the first and the last point of the upload batch exist. Between them, points may have been dropped
    /// before it.
    private(set) var hasBatchStart = false
    private(set) var hasBatchEnd = false

    mutating func add(_ sequence: Int64, batch: BufferUpload.Batch?) {
        count += 1
        highest = max(highest, sequence)
        if sequence == batch?.sequences.lowerBound { hasBatchStart = true }
        if sequence == batch?.sequences.upperBound { hasBatchEnd = true }
    }
}
