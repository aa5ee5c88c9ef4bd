/// A record of `filters`: a filter, its token, how far its bootstrap is, and how its last runs went.
///
/// FORMAT.md, "filters". Key: (number). The text is no key because it may be longer than one.
package struct FilterRecord: Hashable, Sendable {
    /// The canonical form of the filter, at most ``Limits/filter`` bytes.
    package var canonicalText: String
    /// Where the next sync continues, at most ``Limits/token`` bytes.
    package var token: String?
    /// When the last token was stored, in milliseconds since 1970-01-01 UTC; stays when that token is given up.
    package var tokenUpdatedAt: Int64?
    /// The `sync_until_sequence` of the last finished run; stays when its token is given up.
    package var lastUntilSequence: Int64?
    /// Grows with every bootstrap begun, and when another filter has taken back rows of a member.
    package var run: Int64
    /// Whether the current run is a bootstrap.
    package var isBootstrapping: Bool
    /// Whether the token was rejected, so that this bootstrap may lower floors, once per resource.
    package var isRejected: Bool
    /// The pages of the current run that are in.
    package var pagesDone: Int64
    /// When the last run began, in milliseconds since 1970-01-01 UTC.
    package var attemptedAt: Int64?
    /// When the next run is meant to begin by itself, in milliseconds since 1970-01-01 UTC.
    package var nextAttemptAt: Int64?
    /// The runs that failed since the last one that finished.
    package var failures: Int64
    /// Why the last run failed: one line without content, at most ``Limits/errorText`` bytes; nil once one finished.
    package var lastError: String?
    /// The tokens that were rejected since the last incremental run that finished.
    package var resyncs: Int64
    /// When a token was last rejected, in milliseconds since 1970-01-01 UTC.
    package var resyncedAt: Int64?
    /// The next journal sequence when the bootstrap began that is or was last under way; 0 before any.
    package var journalAtBegin: Int64
    /// When a bootstrap that came to its end without some resources may begin anew by itself, in milliseconds since
    /// 1970-01-01 UTC; nil when none did.
    package var heldUntil: Int64?

    /// The record of a filter that was never synced.
    package init(canonicalText: String) {
        self.canonicalText = canonicalText
        run = 0
        isBootstrapping = false
        isRejected = false
        pagesDone = 0
        failures = 0
        resyncs = 0
        journalAtBegin = 0
    }

    /// Reads a body.
    package init(decoding body: RawSpan) throws(FormatError) {
        var reader = TupleReader(body)
        canonicalText = try reader.text()
        token = try reader.optionalText()
        tokenUpdatedAt = try reader.optionalInteger()
        lastUntilSequence = try reader.optionalInteger()
        if token?.isEmpty == true { throw .invalidValue(field: "token", value: 0) }
        run = try reader.count("run")
        // There has to be a next one.
        if run == .max { throw .invalidValue(field: "run", value: run) }
        isBootstrapping = try reader.bool()
        isRejected = try reader.bool()
        pagesDone = try reader.count("pagesDone")
        attemptedAt = try reader.optionalInteger()
        nextAttemptAt = try reader.optionalInteger()
        failures = try reader.count("failures")
        lastError = try reader.optionalText()
        resyncs = try reader.count("resyncs")
        resyncedAt = try reader.optionalInteger()
        journalAtBegin = try reader.count("journalAtBegin")
        // Written only where there is one; what else follows is of a later version.
        heldUntil = reader.isAtInteger ? try reader.integer() : nil
    }

    /// The body.
    package func encode() -> [UInt8] {
        var writer = TupleWriter()
        writer.append(text: canonicalText)
        writer.append(optionalText: token)
        writer.append(optionalInteger: tokenUpdatedAt)
        writer.append(optionalInteger: lastUntilSequence)
        writer.append(integer: run)
        writer.append(bool: isBootstrapping)
        writer.append(bool: isRejected)
        writer.append(integer: pagesDone)
        writer.append(optionalInteger: attemptedAt)
        writer.append(optionalInteger: nextAttemptAt)
        writer.append(integer: failures)
        writer.append(optionalText: lastError)
        writer.append(integer: resyncs)
        writer.append(optionalInteger: resyncedAt)
        writer.append(integer: journalAtBegin)
        if let heldUntil { writer.append(integer: heldUntil) }
        return writer.bytes
    }

    /// Appends the key of a filter.
    package static func appendKey(_ number: Int64, to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(integer: number)
    }

    /// Reads a key back.
    package static func decodeKey(_ key: RawSpan) throws(FormatError) -> Int64 {
        var reader = TupleReader(key)
        let number = try reader.integer()
        try reader.end()
        return number
    }
}
