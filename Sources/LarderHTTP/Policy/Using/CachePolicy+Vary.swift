internal import HTTPTypes
internal import LarderFormat

extension CachePolicy {
    /// What selects a response to `request` with these `Vary` fields: nil when nothing can. RFC 9111 §4.1.
    ///
    /// Nothing can for `*`, nor, without a salt, for a field that secrets come in. Where the host names the account, what
    /// was asked for with credentials is that account's alone, whatever `Vary` names, and newer credentials of the account
    /// select what older ones brought. So is whatever a request asked for that names the account itself.
    func selecting(by fields: HTTPFields, _ request: HTTPRequest) -> [SelectingField]? {
        if variesOnEverything(fields) { return nil }
        var selecting: [SelectingField] = []
        for name in FieldScanner.tokens(fields.combined("vary") ?? []) {
            let value = request.headerFields.combined(name)
            guard isSecret(name), account != nil || value != nil else {
                selecting.append(.init(name: name, value: value.map { normalised($0, name) }))
                continue
            }
            guard let selectingSalt else { return nil }
            // No field's value has a byte of zero: an account is never taken for a value.
            let secret = account.map { [0] + Array($0.utf8) + [0, value == nil ? 0 : 1] } ?? value ?? []
            let digest = Fingerprint.text(of: Array(name.utf8) + [0x3A] + secret, key: selectingSalt)
            selecting.append(.init(name: name, value: digest))
        }
        guard let account, isAccountOfRequest || hasCredentials(request) else { return selecting }
        guard let selectingSalt else { return nil }
        let digest = Fingerprint.text(of: Array(Self.accountName.utf8) + [0] + Array(account.utf8), key: selectingSalt)
        selecting.append(.init(name: Self.accountName, value: digest))
        return selecting
    }

    /// Whether storing a response with these fields needs a salt.
    func needsSalt(_ fields: HTTPFields, _ request: HTTPRequest) -> Bool {
        if account != nil, isAccountOfRequest || hasCredentials(request) { return true }
        return FieldScanner.tokens(fields.combined("vary") ?? []).contains { name in
            isSecret(name) && (account != nil || request.headerFields.has(name))
        }
    }

    /// Stands in the place of a field's name, and is none: FORMAT.md, "responses".
    private static let accountName = ":account"

    private func isSecret(_ name: String) -> Bool { credentialFields.contains(name) }

    private func hasCredentials(_ request: HTTPRequest) -> Bool {
        request.headerFields.contains { isSecret($0.name.canonicalName) }
    }

    /// Whether a `Vary` of `*` says that nothing but the server can select the response.
    ///
    /// A member that is no field's name counts as one.
    func variesOnEverything(_ fields: HTTPFields) -> Bool {
        guard let value = fields.combined("vary") else { return false }
        var scanner = FieldScanner(value)
        while scanner.skipToMember() {
            let token = scanner.token()
            if token.isEmpty || token == [0x2A] || !scanner.isAtMemberEnd() { return true }
        }
        return false
    }

    /// Whether `request` selects the stored response. RFC 9111 §4.1.
    func selects(_ request: HTTPRequest, _ response: StoredResponse) -> Bool {
        guard let wanted = selecting(by: response.fields, request) else { return false }
        return wanted == response.selecting
    }

    /// A field's value with one spelling of white space beside its commas, and one case where the case means nothing.
    ///
    /// Each byte is one scalar: what is not UTF-8 stays different from what is. The order is left alone: with equal
    /// weights some servers go by it (RFC 9110 §12.5.4).
    private func normalised(_ value: [UInt8], _ name: String) -> String {
        let joined = Array(FieldScanner.members(value).joined(separator: [0x2C, 0x20]))
        let bytes = Self.caseless.contains(name) ? FieldScanner.lowered(joined) : joined
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Fields whose values mean the same in any case, in lower case. RFC 9110 §12.5.
    private static let caseless: Set<String> = ["accept-language", "accept-encoding", "accept-charset"]
}
