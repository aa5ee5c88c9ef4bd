extension ResponseRecord {
    /// Whether a header field of this name carries credentials or cookies, which never reach the medium.
    package static func isSecret(_ name: String) -> Bool {
        secretNames.contains(name.lowercased())
    }

    /// The names of header fields that carry credentials or cookies, in lower case.
    ///
    /// Those of the standards, and those that servers and gateways in wide use have added. A host adds its own to the
    /// cache's policy.
    package static let secretNames = standardSecretNames.union([
        "access-token", "api-key", "apikey", "auth-token", "cf-access-client-secret", "cf-access-jwt-assertion",
        "csrf-token", "id-token", "ocp-apim-subscription-key", "private-token", "refresh-token",
        "x-access-token", "x-amz-security-token", "x-amzn-oidc-accesstoken", "x-amzn-oidc-data", "x-api-key",
        "x-api-token", "x-apikey", "x-auth-key", "x-auth-token", "x-authorization", "x-client-secret", "x-csrf-token",
        "x-csrftoken", "x-forwarded-access-token", "x-forwarded-authorization", "x-functions-key",
        "x-gitlab-token", "x-goog-api-key", "x-goog-iap-jwt-assertion", "x-id-token", "x-refresh-token",
        "x-secret-key", "x-session-id", "x-session-token", "x-vault-token", "x-xsrf-token",
    ])

    /// The names that standards define, in lower case. A store never had a field of these.
    package static let standardSecretNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "cookie2", "set-cookie", "set-cookie2",
        "authentication-info", "proxy-authentication-info",
    ]

    /// The record without the fields that carry credentials or cookies.
    ///
    /// Where they select the response, their value has to be a keyed hash; one that cannot be is left empty, and selects
    /// for nobody.
    package func withoutSecrets() -> ResponseRecord {
        var record = self
        if fields.contains(where: { Self.isSecret($0.name) }) { record.fields.removeAll { Self.isSecret($0.name) } }
        for index in selecting.indices where Self.isSecret(selecting[index].name) {
            guard let value = selecting[index].value, !Self.isHash(value) else { continue }
            record.selecting[index].value = ""
        }
        return record
    }

    /// Whether a text is 32 hexadecimal digits in lower case.
    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
