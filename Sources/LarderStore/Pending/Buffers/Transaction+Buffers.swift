internal import LarderEngine
package import LarderFormat

extension Transaction {
    /// Appends a point to a ring, and removes the oldest ones beyond `limit`.
    ///
    /// Points of an upload batch are not removed, so that the batch can be sent again unchanged. When no other points
    /// are left, the ring may exceed `limit` by that many.
    ///
    /// - Parameters:
    ///   - time: when it was recorded, in milliseconds since 1970-01-01 UTC.
    ///   - limit: the most points the ring keeps; 1 or more.
    /// - Returns: the new state of the ring.
    /// - Throws: ``StoreError/invalid(_:)`` for a payload above ``Limits/bufferPoint``, or names too long for a key;
    ///   ``StoreError/damaged(table:reason:)`` for a damaged ring.
    @discardableResult
    package mutating func appendPoint(
        _ payload: [UInt8], to name: BufferName, at time: Int64, limit: Int = 1000
    ) throws -> BufferState {
        precondition(limit > 0, "a ring of \(limit) points")
        if payload.count > Limits.bufferPoint {
            throw StoreError.invalid(.payloadTooLarge(actual: payload.count, limit: Limits.bufferPoint))
        }
        var record = try buffer(name) ?? BufferState()
        let sequence = record.nextSequence
        let (next, overflow) = sequence.addingReportingOverflow(1)
        if overflow { throw Self.damaged("nextSequence", sequence) }
        record.nextSequence = next
        let point = BufferedPoint(time: time, payload: payload)
        try put(body: point.encode(), in: .buffers) { try BufferKey.point(name, sequence: sequence).append(to: &$0) }
        // A count that was wrong on the medium is a finding, not a reason to stop writing.
        record.pointCount.addClamped(1)
        let excess = record.pointCount - limit
        if excess > 0 {
            let dropped = try removeOldest(of: name, excess, before: sequence, sparing: record.upload.batch)
            record.pointCount -= dropped
            record.dropped.addClamped(dropped)
        }
        try put(record, of: name)
        return record
    }

    /// Replaces the state of a ring's upload, if the stored one equals `old`.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Returns: false, and nothing is changed, when the ring does not exist or its upload differs from `old`.
    /// - Throws: ``StoreError/invalid(_:)`` for names too long for a key; ``StoreError/damaged(table:reason:)`` for a
    ///   damaged ring.
    package mutating func updateUpload(
        of name: BufferName, from old: BufferUpload, to new: BufferUpload
    ) throws -> Bool {
        guard var record = try buffer(name), record.upload == old else { return false }
        writer.requireFullDurability()
        if new == old { return true }
        record.upload = new
        try put(record, of: name)
        return true
    }

    /// Removes the points of an upload batch that has ended, and replaces the state of the upload, if the stored one
    /// equals `old`.
    ///
    /// The commit is fully durable, whatever durability the write requested.
    ///
    /// - Parameter refused: whether the server refused the points; otherwise it has them.
    /// - Returns: false, and nothing is changed, when the ring does not exist, its upload differs from `old`, or `old`
    ///   has no batch.
    /// - Throws: as ``updateUpload(of:from:to:)``.
    package mutating func completeUpload(
        of name: BufferName, from old: BufferUpload, to new: BufferUpload, refused: Bool = false
    ) throws -> Bool {
        guard let batch = old.batch, try updateUpload(of: name, from: old, to: new),
            var record = try buffer(name)
        else { return false }
        var removed = 0
        for sequence in try sequences(of: name, in: batch.sequences) {
            try removePoint(of: name, sequence)
            removed += 1
        }
        record.pointCount = max(0, record.pointCount - removed)
        if refused { record.refused.addClamped(removed) }
        try put(record, of: name)
        return true
    }

    /// Removes a ring with all its points.
    ///
    /// - Throws: ``StoreError/invalid(_:)`` for names too long for a key; ``StoreError/damaged(table:reason:)`` for a
    ///   key of a point that cannot be decoded.
    package mutating func removeBuffer(_ name: BufferName) throws {
        for sequence in try sequences(of: name, in: 0...Int64.max) { try removePoint(of: name, sequence) }
        try remove(key: Self.key { try BufferKey.ring(name).append(to: &$0) }, in: .buffers)
        effects.changes.addBuffer(name)
    }
}

extension Transaction {
    /// - Returns: the number of points removed.
    private mutating func removeOldest(
        of name: BufferName, _ count: Int, before end: Int64, sparing batch: BufferUpload.Batch?
    ) throws -> Int {
        var found: [Int64] = []
        try tables.forEachPoint(of: name, in: engine) { sequence, _ in
            guard sequence < end, found.count < count else { return false }
            if batch?.sequences.contains(sequence) == true { return true }
            found.append(sequence)
            return true
        }
        for sequence in found { try removePoint(of: name, sequence) }
        return found.count
    }

    private borrowing func sequences(of name: BufferName, in range: ClosedRange<Int64>) throws -> [Int64] {
        var found: [Int64] = []
        try tables.forEachPoint(of: name, from: range.lowerBound, in: engine) { sequence, _ in
            guard sequence <= range.upperBound else { return false }
            found.append(sequence)
            return true
        }
        return found
    }

    private mutating func removePoint(of name: BufferName, _ sequence: Int64) throws {
        try remove(key: Self.key { try BufferKey.point(name, sequence: sequence).append(to: &$0) }, in: .buffers)
    }

    private mutating func put(_ record: BufferState, of name: BufferName) throws {
        try put(body: record.encode(), in: .buffers) { try BufferKey.ring(name).append(to: &$0) }
        effects.changes.addBuffer(name)
    }

    private static func damaged(_ field: String, _ value: Int64) -> StoreError {
        .damaged(table: TableName.buffers.rawValue, reason: .invalidValue(field: field, value: value))
    }
}
