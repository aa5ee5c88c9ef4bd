internal import LarderEngine
public import LarderFormat

extension Tables {
    /// Returns every readable ring.
    func buffers(in source: ReadTransaction) throws -> [(name: BufferName, record: BufferState)] {
        var found: [(BufferName, BufferState)] = []
        try forEachReadable(.buffers, in: source) { key, body throws(FormatError) in
            guard case .ring(let name) = try BufferKey(decoding: key) else { return nil }
            return (name, try BufferState(decoding: body))
        } _: { (ring: (BufferName, BufferState)?) in
            if let ring { found.append(ring) }
        }
        return found
    }

    /// Calls `body` with the points of a ring from a sequence on, in order, until it returns false.
    func forEachPoint(
        of name: BufferName, from first: Int64 = 0, in source: ReadTransaction,
        _ body: (_ sequence: Int64, _ record: () throws -> BufferedPoint) throws -> Bool
    ) throws {
        let ring = try Transaction.key { try BufferKey.ring(name).append(to: &$0) }
        let start = try Transaction.key { try BufferKey.point(name, sequence: first).append(to: &$0) }
        try forEachRaw(.buffers, prefix: ring, from: start, in: source) { entry in
            let key = entry.key
            let place = try decoding(.buffers) { () throws(FormatError) in try BufferKey(decoding: key) }
            guard case .point(_, let sequence) = place else { return true }
            let value = entry.value
            return try body(sequence) {
                let body = try Self.body(of: value, key: key, table: .buffers)
                return try decoding(.buffers) { () throws(FormatError) in try BufferedPoint(decoding: body) }
            }
        }
    }

    /// Returns the points of a ring in a range of sequences, in order.
    func points(
        of name: BufferName, in range: ClosedRange<Int64>, limit: Int, _ source: ReadTransaction
    ) throws -> [BufferedPoint] {
        var points: [BufferedPoint] = []
        if limit <= 0 { return [] }
        try forEachPoint(of: name, from: range.lowerBound, in: source) { sequence, record in
            guard sequence <= range.upperBound else { return false }
            var point = try record()
            point.sequence = sequence
            points.append(point)
            return points.count < limit
        }
        return points
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// Returns the state of a ring, or nil when there is no ring of this name.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for names too long for a key; ``StoreError/damaged(table:reason:)``.
    public borrowing func buffer(_ name: BufferName) throws -> BufferState? {
        try tables.record(.buffers, in: engine, as: BufferState.self) { try BufferKey.ring(name).append(to: &$0) }
    }
}

extension ReadView {
    /// Returns the names of all readable rings.
    ///
    /// - Throws: `EngineError`.
    public borrowing func bufferNames() throws -> [BufferName] {
        try tables.buffers(in: transaction).map(\.name)
    }

    /// Returns the points of a ring in a range of sequences, the oldest first.
    ///
    /// - Parameters:
    ///   - name: the name of the ring.
    ///   - sequences: the sequences to include.
    ///   - limit: the most points to read.
    /// - Throws: ``StoreError/invalid(_:)`` for names too long for a key; ``StoreError/damaged(table:reason:)``.
    public borrowing func points(
        in name: BufferName, sequences: ClosedRange<Int64> = 0...Int64.max, limit: Int = .max
    ) throws -> [BufferedPoint] {
        try tables.points(of: name, in: sequences, limit: limit, transaction)
    }

    /// Returns the sequences of the oldest points of a ring, without reading the points.
    ///
    /// - Throws: as ``points(in:sequences:limit:)``.
    package borrowing func pointSequences(in name: BufferName, limit: Int) throws -> [Int64] {
        var found: [Int64] = []
        if limit <= 0 { return [] }
        try tables.forEachPoint(of: name, in: transaction) { sequence, _ in
            found.append(sequence)
            return found.count < limit
        }
        return found
    }
}
