// ModelOptions and ModelDirective: the options that the RFCs leave to a cache, and the directives of Cache-Control.

import Foundation

/// What the RFCs leave to a cache, and what this library chose. Each is a freedom that the comparison names.
struct ModelOptions {
    /// RFC 9111 §4.2.1: of several values "either the first occurrence should be used, or the response should be
    /// considered stale".
    var firstOccurrenceCounts = true
    /// RFC 9111 §1.2.2: what a number too great to represent is taken for.
    var greatestDelta = 2_147_483_648.0
    /// RFC 9111 §4.2.2: the fraction for heuristics, and a limit.
    var heuristicFraction = 0.1
    var heuristicLimit = 86_400.0
    /// RFC 9111 §3 and §5.2.2.4: a qualified `no-cache` may be taken for an unqualified one.
    var qualifiedNoCacheIsUnqualified = false
    /// RFC 9111 §5.4 deprecates `Pragma`; a cache may still heed it in a request without `Cache-Control`.
    var heedsPragma = true
    /// The spellings `Cache-Control: none` and `If-Since-Modified`.
    var understandsSourceSpellings = true
    /// RFC 9111 §5.2.1.5 lets a request with `no-store` be answered from the cache; it need not be.
    var passesByForNoStore = true
    /// RFC 9110 §14.2: a server may ignore `Range`; a cache may leave several ranges to it.
    var passesByForSeveralRanges = true
    /// RFC 9110 §7.6.1 forbids a sender to list fields that are for all recipients in `Connection`; those that a cache
    /// needs are kept if one does.
    var storedDespiteConnection: Set<String> = [
        "age", "cache-control", "content-range", "date", "etag", "expires", "last-modified", "vary",
    ]
    /// RFC 5861 §4 says how long a stale response may stand in for an error, RFC 9111 §4.2.4 that a disconnected cache
    /// may send one: the first may limit the second.
    var staleIfErrorLimitsSilence = true
}

/// A directive of `Cache-Control`.
struct ModelDirective: Hashable {
    /// In lower case.
    var name: String
    /// What stands behind `=`, without quotation marks; nil without any.
    var argument: String?
    /// Whether it breaks the grammar.
    var isMalformed = false
}

/// A slow and plain private cache, written from the text of the RFCs. It shares nothing with the library.
struct CacheModel {
    var options = ModelOptions()
}

// RFC 9111 §5.2, the syntax of Cache-Control.
extension CacheModel {
    /// The directives of a message, in order.
    func directives(_ fields: ModelFields) -> [ModelDirective] {
        (fields.combined("Cache-Control") ?? "").listMembers.compactMap(directive)
    }

    /// A member that breaks the grammar counts by the name that it begins with, and as malformed.
    private func directive(_ member: String) -> ModelDirective? {
        let name = String(member.prefix { String($0).isToken })
        guard !name.isEmpty else { return nil }
        let rest = String(member.dropFirst(name.count))
        if rest.isEmpty { return ModelDirective(name: name.lowercased(), argument: nil) }
        guard rest.hasPrefix("=") else {
            // No whitespace is allowed in front of the sign, nor anything else in place of it.
            return ModelDirective(name: name.lowercased(), argument: nil, isMalformed: true)
        }
        let (argument, isWhole) = argument(String(rest.dropFirst()))
        return ModelDirective(name: name.lowercased(), argument: argument, isMalformed: !isWhole)
    }

    /// RFC 9110 §5.6.4 for the quoted form. Both forms are accepted, RFC 9111 §5.2.
    private func argument(_ value: String) -> (String, isWhole: Bool) {
        guard value.hasPrefix("\"") else { return (value, value.isToken) }
        var text = ""
        var isEscaped = false
        var rest = Array(value.unicodeScalars.dropFirst())
        while let character = rest.first {
            rest.removeFirst()
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
                continue
            } else if character == "\"" {
                return (text, rest.isEmpty)
            }
            text.unicodeScalars.append(character)
        }
        return (text, false)
    }

    func has(_ name: String, in fields: ModelFields) -> Bool {
        directives(fields).contains { $0.name == name }
    }

    /// `immutable` permits, so one that breaks the grammar does not count. RFC 8246 §2: an argument has no meaning.
    func isImmutable(_ fields: ModelFields) -> Bool {
        directives(fields).contains { $0.name == "immutable" && !$0.isMalformed }
    }

    /// The seconds of a directive; `.some(nil)` when it is there but says nothing sensible; nil when it is not there.
    func seconds(_ name: String, in fields: ModelFields) -> Double?? {
        let found = directives(fields).filter { $0.name == name }
        guard let first = found.first else { return nil }
        if found.count > 1, !options.firstOccurrenceCounts { return .some(nil) }
        guard !first.isMalformed, let argument = first.argument else { return .some(nil) }
        return .some(deltaSeconds(argument))
    }

    /// The seconds of a directive that permits something: the first number counts, and what is none permits nothing.
    func permitted(_ name: String, in fields: ModelFields) -> Double? {
        directives(fields).filter { $0.name == name && !$0.isMalformed }
            .compactMap { $0.argument.flatMap(deltaSeconds) }.first
    }

    /// The staleness that `max-stale` accepts: the first readable one counts; without a number it accepts any.
    func acceptedStaleness(in fields: ModelFields) -> Double? {
        directives(fields).filter { $0.name == "max-stale" && !$0.isMalformed }
            .compactMap { $0.argument.map(deltaSeconds) ?? .infinity }.first
    }

    /// RFC 9111 §1.2.2.
    func deltaSeconds(_ text: String) -> Double? {
        guard text.isDigits else { return nil }
        return min(Double(text) ?? options.greatestDelta, options.greatestDelta)
    }

    /// RFC 9111 §5.1: the first member counts; what is no number is ignored.
    func ageField(_ fields: ModelFields) -> Double {
        guard let first = fields.combined("Age")?.split(separator: ",", omittingEmptySubsequences: false).first else {
            return 0
        }
        return deltaSeconds(String(first).trimmed) ?? 0
    }

    /// RFC 9111 §5.4.
    func pragmaNoCache(_ request: ModelRequest) -> Bool {
        guard options.heedsPragma, !request.fields.has("Cache-Control") else { return false }
        return (request.fields.combined("Pragma") ?? "").listMembers.contains { $0.lowercased() == "no-cache" }
    }
}
