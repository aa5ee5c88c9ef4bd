internal import HTTPTypes
internal import LarderFormat

extension CachePolicy {
    /// Returns the values that select a response by its `Vary`; nil when no request can select it. RFC 9111 §4.1.
    ///
    /// No request can with `*` nor, without a salt, with a secret field. Where the host names the account, a response
    /// to a request with credentials belongs to that account, whatever `Vary` names. Newer credentials of the account
    /// select what older ones fetched. A request that names its account itself needs no credentials for this.
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
            // A field's value has no zero byte, so an account never equals a value.
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

    /// The name in place of a field's name; it is no valid field name. FORMAT.md, "responses".
    private static let accountName = ":account"

    private func isSecret(_ name: String) -> Bool { credentialFields.contains(name) }

    private func hasCredentials(_ request: HTTPRequest) -> Bool {
        request.headerFields.contains { isSecret($0.name.canonicalName) }
    }

    /// Whether only the server can select the response: `Vary` has a member `*`.
    ///
    /// A member that is no field name counts as `*`.
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

    /// Returns a field's value with one form of white space at its commas, in lower case where case has no meaning.
    ///
    /// Each byte becomes one scalar, so that values that are not UTF-8 stay distinct. The order is kept, because some
    /// servers follow it among equal weights (RFC 9110 §12.5.4).
    private func normalised(_ value: [UInt8], _ name: String) -> String {
        let joined = Array(FieldScanner.members(value).joined(separator: [0x2C, 0x20]))
        let bytes = Self.caseInsensitive.contains(name) ? FieldScanner.lowered(joined) : joined
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The fields whose values do not depend on case; the names are in lower case. RFC 9110 §12.5.
    private static let caseInsensitive: Set<String> = ["accept-language", "accept-encoding", "accept-charset"]
}
