internal import LarderEngine
internal import LarderFormat

// Servers may ask clients to wait (Retry-After): the store keeps one time per server, for all requests, over restarts.

/// The wait that a server requested.
package struct ServerWait: Hashable, Sendable {
    /// The longest wait that a server is granted: a day. A wrong clock, or a malicious server, must not silence a
    /// client for years.
    package static let longest: Int64 = 86_400_000
    /// The first and the longest wait of a server that names no duration.
    static let defaultDurations: (first: Int64, longest: Int64) = (1000, 60_000)

    /// The end of the wait, in milliseconds since 1970-01-01 UTC.
    package let until: Int64
    /// The time of the request to wait, likewise.
    package let recordedAt: Int64

    package init(until: Int64, recordedAt: Int64) {
        self.until = until
        self.recordedAt = recordedAt
    }

    /// The milliseconds that are left of it, 0 to ``longest``.
    ///
    /// A wait that was recorded later than `now` has none left: the clock was moved back since, and the time passed is
    /// unknown.
    package func remaining(at now: Int64) -> Int64 {
        guard recordedAt <= now, now < until else { return 0 }
        let (rest, overflows) = until.subtractingReportingOverflow(now)
        return overflows ? Self.longest : min(rest, Self.longest)
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// The wait of a server that is not over at `now`; nil when requests may be sent to it.
    ///
    /// A damaged record counts as no wait: it must not silence a client for good.
    ///
    /// - Parameter server: its origin, as `BaseURL.origin` spells it.
    /// - Throws: ``EngineError``.
    package borrowing func serverWait(of server: String, at now: Int64) throws -> ServerWait? {
        let waits = try storedWaits()
        guard let found = waits.first(where: { $0.server.equalsBytewise(server) }) else { return nil }
        let wait = ServerWait(found)
        return wait.remaining(at: now) > 0 ? wait : nil
    }

    fileprivate borrowing func storedWaits() throws -> [ServerWaitsRecord.Wait] {
        let key = ServerWaitsRecord.key
        do {
            return try tables.record(key.rawSpan, .meta, in: engine, ServerWaitsRecord.init(decoding:))?.waits ?? []
        } catch StoreError.damaged {
            // The next record that is stored replaces it.
            return []
        }
    }
}

extension Transaction {
    /// Records that a server requested a wait. A longer wait that is not over stays.
    ///
    /// - Parameters:
    ///   - milliseconds: the wait; a value above ``ServerWait/longest`` counts as that. Nil where the server named
    ///     none: twice as long as the last time, unless that was over for a minute. Nothing is added while a wait
    ///     lasts, since requests that were under way together are refused together.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Throws: ``EngineError``; ``StoreError``.
    package mutating func setServerWait(of server: String, milliseconds: Int64?, at now: Int64) throws {
        let known = try activeWaits(at: now)
        let last = try storedWaits().first { $0.server.equalsBytewise(server) }.map { ServerWait($0) }
        let wait = min(max(milliseconds ?? ServerWait.defaultDuration(after: last, at: now), 0), ServerWait.longest)
        let rest = last?.remaining(at: now) ?? 0
        guard wait > rest else { return }
        let until = now.addingReportingOverflow(wait)
        try put(
            known.filter { !$0.server.equalsBytewise(server) } + [
                .init(server: server, until: until.overflow ? .max : until.partialValue, notedAt: now)
            ])
    }

    /// Removes the wait of a server, for a caller that sends requests to it all the same.
    ///
    /// - Throws: as ``setServerWait(of:milliseconds:at:)``.
    package mutating func clearServerWait(of server: String, at now: Int64) throws {
        let known = try activeWaits(at: now)
        let others = known.filter { !$0.server.equalsBytewise(server) }
        if others.count < known.count { try put(others) }
    }

    /// The waits that are not over.
    private borrowing func activeWaits(at now: Int64) throws -> [ServerWaitsRecord.Wait] {
        try storedWaits().filter { ServerWait($0).remaining(at: now) > 0 }
    }

    private mutating func put(_ waits: [ServerWaitsRecord.Wait]) throws {
        // The waits that end first are dropped.
        let retained = waits.sorted { $0.until > $1.until }.prefix(Limits.serverWaits)
        try put(body: ServerWaitsRecord(waits: Array(retained)).encode(), key: ServerWaitsRecord.key, in: .meta)
    }
}

extension ServerWait {
    /// The wait of a server that names no duration, after its last one.
    fileprivate static func defaultDuration(after last: ServerWait?, at now: Int64) -> Int64 {
        guard let last, last.recordedAt <= now else { return defaultDurations.first }
        if last.remaining(at: now) > 0 { return 0 }
        let (since, isLongAgo) = now.subtractingReportingOverflow(last.until)
        let (length, isTooLong) = last.until.subtractingReportingOverflow(last.recordedAt)
        if isLongAgo || isTooLong || since > defaultDurations.longest { return defaultDurations.first }
        return min(max(length, defaultDurations.first / 2), defaultDurations.longest / 2) * 2
    }

    fileprivate init(_ wait: ServerWaitsRecord.Wait) {
        self.init(until: wait.until, recordedAt: wait.recordedAt)
    }
}
