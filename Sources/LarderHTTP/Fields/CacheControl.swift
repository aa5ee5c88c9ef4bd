package import HTTPTypes

/// The directives of `Cache-Control` in a request or a response. RFC 9111 §5.2, RFC 5861, RFC 8246.
///
/// Names match in any case; arguments are tokens or quoted strings. Of a repeated directive the first number counts, as
/// RFC 9111 §4.2.1 permits. A malformed directive counts when it restricts and not when it permits: a `max-age` without
/// a number is 0, and a `no-cache` with a broken list applies to the whole response.
package struct CacheControl: Hashable, Sendable {
    /// The staleness that a request accepts. RFC 9111 §5.2.1.2.
    package enum MaxStale: Hashable, Sendable {
        /// Any staleness.
        case any
        /// At most this staleness, in seconds.
        case seconds(Int64)
    }

    /// Whether there is any directive.
    package var isPresent = false
    /// `no-store`. RFC 9111 §5.2.1.5, §5.2.2.5.
    package var noStore = false
    /// `no-cache` of the whole message. RFC 9111 §5.2.1.4, §5.2.2.4.
    package var noCache = false
    /// The fields that `no-cache` names, in lower case. They must not be used without validation.
    package var noCacheFields: Set<String> = []
    /// `must-revalidate`. RFC 9111 §5.2.2.2.
    package var mustRevalidate = false
    /// `must-understand`. RFC 9111 §5.2.2.3.
    package var mustUnderstand = false
    /// `public`. RFC 9111 §5.2.2.9.
    package var isPublic = false
    /// `private`, with or without fields. RFC 9111 §5.2.2.7.
    package var isPrivate = false
    /// `immutable`. RFC 8246 §2.
    package var isImmutable = false
    /// `only-if-cached`. RFC 9111 §5.2.1.7.
    package var onlyIfCached = false
    /// `none`, which no standard defines.
    package var none = false
    /// `max-age`, in seconds. RFC 9111 §5.2.1.1, §5.2.2.1.
    package var maxAge: Int64?
    /// `max-stale`. RFC 9111 §5.2.1.2.
    package var maxStale: MaxStale?
    /// `min-fresh`, in seconds. RFC 9111 §5.2.1.3.
    package var minFresh: Int64?
    /// `stale-while-revalidate`, in seconds. RFC 5861 §3.
    package var staleWhileRevalidate: Int64?
    /// `stale-if-error`, in seconds. RFC 5861 §4.
    package var staleIfError: Int64?

    /// The directives of the `Cache-Control` lines of `fields`.
    package init(_ fields: HTTPFields) {
        self.init(fields.combined("cache-control") ?? [])
    }

    /// The directives of one combined value.
    package init(_ bytes: [UInt8]) {
        var scanner = FieldScanner(bytes)
        while scanner.skipToMember() {
            let name = scanner.token()
            let argument = Self.argument(&scanner)
            guard !name.isEmpty else { continue }
            isPresent = true
            setDirective(String(decoding: name, as: UTF8.self).lowercased(), argument)
        }
    }
}

extension CacheControl {
    private enum Argument {
        case absent
        case value(ArraySlice<UInt8>)
        case malformed

        /// The argument in seconds; nil when it is no number.
        var seconds: Int64? {
            if case .value(let bytes) = self { FieldScanner.deltaSeconds(bytes) } else { nil }
        }

        var isAbsent: Bool { if case .absent = self { true } else { false } }

        var isMalformed: Bool { if case .malformed = self { true } else { false } }
    }

    /// Reads the argument behind a name, up to the end of the member. White space beside `=` is not allowed.
    private static func argument(_ scanner: inout FieldScanner) -> Argument {
        var argument = Argument.absent
        if scanner.consume(0x3D) {
            if scanner.next == 0x22 {
                argument = scanner.quotedString().map { .value($0[...]) } ?? .malformed
            } else {
                argument = .value(scanner.read { $0 != 0x2C && $0 != 0x20 && $0 != 0x09 && $0 != 0x22 })
            }
        }
        guard scanner.isAtMemberEnd() else {
            scanner.skipMember()
            return .malformed
        }
        return argument
    }

    private mutating func setDirective(_ name: String, _ argument: Argument) {
        switch name {
        case "no-store": noStore = true
        case "no-cache": setNoCache(argument)
        case "must-revalidate": mustRevalidate = true
        case "only-if-cached": onlyIfCached = true
        case "private": isPrivate = true
        case "public": if argument.isAbsent { isPublic = true }
        // RFC 8246 §2: an argument of `immutable` has no meaning.
        case "immutable": if !argument.isMalformed { isImmutable = true }
        case "must-understand": if argument.isAbsent { mustUnderstand = true }
        case "none": none = true
        case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
        case "min-fresh": minFresh = minFresh ?? argument.seconds ?? 2_147_483_648
        case "max-stale": maxStale = maxStale ?? (argument.isAbsent ? .any : argument.seconds.map(MaxStale.seconds))
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? argument.seconds
        case "stale-if-error": staleIfError = staleIfError ?? argument.seconds
        default: break
        }
    }

    private mutating func setNoCache(_ argument: Argument) {
        guard case .value(let list) = argument else {
            noCache = true
            return
        }
        let names = FieldScanner.tokens(Array(list))
        if names.isEmpty { noCache = true } else { noCacheFields.formUnion(names) }
    }
}
