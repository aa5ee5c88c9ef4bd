internal import LarderEngine
internal import LarderFormat

// When servers asked to be left alone (Retry-After): one time per server, for all that asks it, kept over restarts.

/// What a server asked for.
package struct ServerWait: Hashable, Sendable {
    /// The longest wait that a server is granted: a day. A clock that is wrong, or a server that means harm, must not silence
    /// a client for years.
    package static let longest: Int64 = 86_400_000
    /// The first wait and the longest of a server that does not say for how long it wants to be left alone.
    static let unsaid: (first: Int64, longest: Int64) = (1000, 60_000)

    /// Until when, in milliseconds since 1970-01-01 UTC.
    package let until: Int64
    /// When it was asked for, likewise.
    package let notedAt: Int64

    package init(until: Int64, notedAt: Int64) {
        self.until = until
        self.notedAt = notedAt
    }

    /// The milliseconds that are left of it, 0 to ``longest``.
    ///
    /// None of a wait that was noted later than `now`: the clock was set back since, and how much has passed is unknown.
    package func remaining(at now: Int64) -> Int64 {
        guard notedAt <= now, now < until else { return 0 }
        let (rest, overflows) = until.subtractingReportingOverflow(now)
        return overflows ? Self.longest : min(rest, Self.longest)
    }
}

extension StoreReader where Self: ~Copyable & ~Escapable {
    /// What a server asked for that is not over yet at `now`; nil when it may be asked.
    ///
    /// A record that is damaged says nothing: it must not silence a client for good.
    ///
    /// - Parameter server: its origin, as `BaseURL.origin` spells it.
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
            // The next one that is stored takes its place.
            return []
        }
    }
}

extension Transaction {
    /// Remembers that a server asked to be left alone for so long. One that asked for longer before is left alone for longer.
    ///
    /// - Parameters:
    ///   - milliseconds: the wait; what is above ``ServerWait/longest`` counts as that. Nil where the server did not say: twice
    ///     as long as the last time, unless that was over for a minute; nothing more while it lasts, since requests that were under
    ///     way together are refused together.
    ///   - now: milliseconds since 1970-01-01 UTC.
    package mutating func noteServerWait(of server: String, milliseconds: Int64?, at now: Int64) throws {
        let known = try knownWaits(at: now)
        let last = try storedWaits().first { $0.server.equalsBytewise(server) }.map { ServerWait($0) }
        let wait = min(max(milliseconds ?? ServerWait.unsaid(after: last, at: now), 0), ServerWait.longest)
        let rest = last?.remaining(at: now) ?? 0
        guard wait > rest else { return }
        let until = now.addingReportingOverflow(wait)
        try put(
            known.filter { !$0.server.equalsBytewise(server) } + [
                .init(server: server, until: until.overflow ? .max : until.partialValue, notedAt: now)
            ])
    }

    /// Forgets what a server asked for: somebody wants it asked all the same.
    package mutating func endServerWait(of server: String, at now: Int64) throws {
        let known = try knownWaits(at: now)
        let others = known.filter { !$0.server.equalsBytewise(server) }
        if others.count < known.count { try put(others) }
    }

    /// The waits that are not over.
    private borrowing func knownWaits(at now: Int64) throws -> [ServerWaitsRecord.Wait] {
        try storedWaits().filter { ServerWait($0).remaining(at: now) > 0 }
    }

    private mutating func put(_ waits: [ServerWaitsRecord.Wait]) throws {
        // Those that end first are the ones to do without.
        let kept = waits.sorted { $0.until > $1.until }.prefix(Limits.serverWaits)
        try put(body: ServerWaitsRecord(waits: Array(kept)).encode(), key: ServerWaitsRecord.key, in: .meta)
    }
}

extension ServerWait {
    /// The wait of a server that does not say for how long, after its last one.
    fileprivate static func unsaid(after last: ServerWait?, at now: Int64) -> Int64 {
        guard let last, last.notedAt <= now else { return unsaid.first }
        if last.remaining(at: now) > 0 { return 0 }
        let (since, isLongAgo) = now.subtractingReportingOverflow(last.until)
        let (length, isTooLong) = last.until.subtractingReportingOverflow(last.notedAt)
        if isLongAgo || isTooLong || since > unsaid.longest { return unsaid.first }
        return min(max(length, unsaid.first / 2), unsaid.longest / 2) * 2
    }

    fileprivate init(_ wait: ServerWaitsRecord.Wait) {
        self.init(until: wait.until, notedAt: wait.notedAt)
    }
}
