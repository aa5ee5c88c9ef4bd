/// A record of `buffers` that says how a ring is: what it counts, and what of it is being uploaded.
///
/// FORMAT.md, "buffers". Key: (buffer, account).
package struct BufferRecord: Hashable, Sendable {
    /// Points that are uploaded together, until that is answered.
    package struct Flight: Hashable, Sendable {
        /// The first sequence.
        package var first: Int64
        /// The last one, never before the first.
        package var last: Int64
        /// The idempotency key.
        package var key: UUIDBytes

        /// A flight of these parts.
        package init(first: Int64, last: Int64, key: UUIDBytes) {
            self.first = first
            self.last = last
            self.key = key
        }
    }

    /// The sequence of the next point.
    package var nextSequence: Int64
    /// The points kept.
    package var pointCount: Int64
    /// The points dropped because the ring was full.
    package var dropped: Int64
    /// The points dropped because the server refused them.
    package var refused: Int64
    /// What is being uploaded, or was not answered.
    package var flight: Flight?
    /// The uploads begun of the flight.
    package var tries: Int64
    /// The failures in a row.
    package var failures: Int64
    /// When the next upload is due, in milliseconds since 1970-01-01 UTC.
    package var dueAt: Int64?
    /// Points up to this sequence are uploaded one by one; 0: none.
    package var aloneThrough: Int64

    /// An empty ring.
    package init() {
        nextSequence = 1
        pointCount = 0
        dropped = 0
        refused = 0
        tries = 0
        failures = 0
        aloneThrough = 0
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        nextSequence = try reader.count("nextSequence")
        pointCount = try reader.count("points")
        dropped = try reader.count("dropped")
        refused = try reader.count("refused")
        let first = try reader.optionalCount("flightFirst")
        let last = try reader.optionalCount("flightLast")
        let key = try reader.optionalUUID()
        switch (first, last, key) {
        case (nil, nil, nil): flight = nil
        case (let first?, let last?, let key?) where first <= last: flight = Flight(first: first, last: last, key: key)
        default: throw .invalidValue(field: "flight", value: first ?? last ?? 0)
        }
        tries = try reader.count("tries")
        failures = try reader.count("failures")
        dueAt = try reader.optionalInteger()
        aloneThrough = try reader.count("aloneThrough")
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: nextSequence)
        writer.append(integer: pointCount)
        writer.append(integer: dropped)
        writer.append(integer: refused)
        writer.append(optionalInteger: flight?.first)
        writer.append(optionalInteger: flight?.last)
        writer.append(optionalUUID: flight?.key)
        writer.append(integer: tries)
        writer.append(integer: failures)
        writer.append(optionalInteger: dueAt)
        writer.append(integer: aloneThrough)
        return writer.bytes
    }
}

/// A record of `buffers` that is a point. Key: (buffer, account, sequence).
package struct BufferPointRecord: Hashable, Sendable {
    /// When it was recorded, in milliseconds since 1970-01-01 UTC.
    package var time: Int64
    /// The host's content.
    package var payload: [UInt8]

    /// A point of these parts.
    package init(time: Int64, payload: [UInt8]) {
        self.time = time
        self.payload = payload
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        time = try reader.integer()
        payload = try reader.bytes()
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(integer: time)
        writer.append(bytes: payload)
        return writer.bytes
    }
}
