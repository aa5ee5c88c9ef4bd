package import HTTPTypes
package import LarderFormat

/// Which fields are kept with a response. RFC 9111 §3.1.
package enum KeptFields {
    /// The most fields a head may have and still be kept.
    package static let limit = 1000

    /// Fields of one hop or one exchange, in lower case. RFC 9110 §7.6.1, §6.6.2, §11.7.
    package static let hop: Set<String> = [
        "connection", "keep-alive", "te", "transfer-encoding", "upgrade", "trailer", "proxy-connection",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]
    /// Fields that a cache reads again, in lower case; `Connection` cannot have them dropped.
    package static let needed: Set<String> = [
        "cache-control", "expires", "date", "age", "vary", "etag", "last-modified", "content-range",
    ]
    /// Fields about the bytes of a body, in lower case, which an update of a response leaves alone. RFC 9111 §3.2.
    package static let ofBody: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Fields that set cookies, in lower case.
    private static let cookies: Set<String> = ["set-cookie", "set-cookie2"]

    /// The fields of a received head that are kept, in their order. What carries secrets never reaches a disk;
    /// `WWW-Authenticate` carries none: it says how to sign in, not who has.
    ///
    /// - Parameter keepsCookies: whether `Set-Cookie` is kept, for what stays in memory.
    package static func kept(
        of fields: HTTPFields, without credentials: CredentialFields = CredentialFields(),
        keepingCookies keepsCookies: Bool = false
    ) -> HTTPFields {
        var dropped = hop
        if let listed = fields.combined("connection") {
            dropped.formUnion(Set(FieldScanner.tokens(listed)).subtracting(needed))
        }
        var kept = HTTPFields()
        for field in fields where !dropped.contains(field.name.canonicalName) {
            let isKeptCookie = keepsCookies && cookies.contains(field.name.canonicalName)
            if isKeptCookie || !credentials.contains(field.name.canonicalName) { kept.append(field) }
        }
        return kept
    }

    /// `stored`, with the fields of `received` in place of those of the same names. RFC 9111 §3.2.
    ///
    /// `Age` and `Date` are those of the received head or none: they say when it was made.
    package static func updated(
        _ stored: HTTPFields, with received: HTTPFields, without credentials: CredentialFields = CredentialFields(),
        keepingCookies keepsCookies: Bool = false
    ) -> HTTPFields {
        let news = kept(of: received, without: credentials, keepingCookies: keepsCookies)
            .filter { !ofBody.contains($0.name.canonicalName) }
        let replaced = Set(news.map(\.name.canonicalName)).union(["age", "date"])
        var fields = HTTPFields()
        for field in stored where !replaced.contains(field.name.canonicalName) { fields.append(field) }
        for field in news where fields.count < 2 * limit { fields.append(field) }
        return fields
    }
}
