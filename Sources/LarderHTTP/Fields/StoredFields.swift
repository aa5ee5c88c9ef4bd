package import HTTPTypes
package import LarderFormat

/// The selection of header fields that are stored with a response. RFC 9111 §3.1.
package enum StoredFields {
    /// The most fields that the head of a stored response may have.
    package static let limit = 1000

    /// Fields of one hop or one exchange, in lower case. RFC 9110 §7.6.1, §6.6.2, §11.7.
    package static let hopByHop: Set<String> = [
        "connection", "keep-alive", "te", "transfer-encoding", "upgrade", "trailer", "proxy-connection",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    ]
    /// Fields that a cache reads again, in lower case; `Connection` cannot remove them.
    package static let required: Set<String> = [
        "cache-control", "expires", "date", "age", "vary", "etag", "last-modified", "content-range",
    ]
    /// Fields about the bytes of a body, in lower case, which an update of a response leaves alone. RFC 9111 §3.2.
    package static let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Fields that set cookies, in lower case.
    private static let cookies: Set<String> = ["set-cookie", "set-cookie2"]

    /// Returns the fields of a received head that are stored, in their order.
    ///
    /// Fields that carry secrets never reach the medium. `WWW-Authenticate` only describes how to sign in.
    ///
    /// - Parameter keepsCookies: whether `Set-Cookie` is kept, for responses that stay in memory.
    package static func selected(
        from fields: HTTPFields, without credentials: CredentialFields = CredentialFields(),
        keepingCookies keepsCookies: Bool = false
    ) -> HTTPFields {
        var dropped = hopByHop
        if let listed = fields.combined("connection") {
            dropped.formUnion(Set(FieldScanner.tokens(listed)).subtracting(required))
        }
        var stored = HTTPFields()
        for field in fields where !dropped.contains(field.name.canonicalName) {
            let isStoredCookie = keepsCookies && cookies.contains(field.name.canonicalName)
            if isStoredCookie || !credentials.contains(field.name.canonicalName) { stored.append(field) }
        }
        return stored
    }

    /// Returns `stored` with the fields of `received` in place of those of the same names. RFC 9111 §3.2.
    ///
    /// `Age` and `Date` are those of the received head or none, because they depend on when it was made.
    package static func updated(
        _ stored: HTTPFields, with received: HTTPFields, without credentials: CredentialFields = CredentialFields(),
        keepingCookies keepsCookies: Bool = false
    ) -> HTTPFields {
        let newFields = selected(from: received, without: credentials, keepingCookies: keepsCookies)
            .filter { !bodyFields.contains($0.name.canonicalName) }
        let replaced = Set(newFields.map(\.name.canonicalName)).union(["age", "date"])
        var fields = HTTPFields()
        for field in stored where !replaced.contains(field.name.canonicalName) { fields.append(field) }
        for field in newFields where fields.count < 2 * limit { fields.append(field) }
        return fields
    }
}
