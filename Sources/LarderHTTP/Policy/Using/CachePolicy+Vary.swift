internal import HTTPTypes
internal import LarderFormat

extension CachePolicy {
    /// Returns the values that select a response by its `Vary`; nil when no request can select it. RFC 9111 §4.1.
    ///
    /// No request can with `*` nor, without a salt, with a secret field. Where the host names the account, a response
    /// to a request with credentials belongs to that account, whatever `Vary` names. Newer credentials of the account
    /// select what older ones fetched. A request that names its account itself needs no credentials for this.
    func selecting(by fields: HTTPFields, _ request: HTTPRequest) -> [SelectingField]? {
        selecting(by: Self.selectingNames(fields), request)
    }

    private func selecting(by names: [String]?, _ request: HTTPRequest) -> [SelectingField]? {
        guard let names else { return nil }
        var selecting: [SelectingField] = []
        for name in names {
            let value = request.headerFields.combined(name)
            guard account != nil || value != nil, isSecret(name) else {
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
            (account != nil || request.headerFields.has(name)) && isSecret(name)
        }
    }

    /// Whether a request needs a salt to select one of the stored responses, of which these are the selecting values:
    /// it has a secret that may have selected one.
    func needsSalt(_ request: HTTPRequest, among responses: some Sequence<[SelectingField]>) -> Bool {
        var last: String?
        return responses.contains { selecting in
            account != nil
                || selecting.contains { field in
                    // The responses of one key mostly have the same names.
                    if field.name == last { return false }
                    last = field.name
                    return request.headerFields.has(field.name) && isSecret(field.name)
                }
        }
    }

    /// The name in place of a field's name; it is no valid field name. FORMAT.md, "responses".
    private static let accountName = ":account"

    private func isSecret(_ name: String) -> Bool { credentialFields.contains(name) }

    private func hasCredentials(_ request: HTTPRequest) -> Bool {
        request.headerFields.contains { isSecret($0.name.canonicalName) }
    }

    /// Returns the names in `Vary`; nil when only the server can select the response, because it has a member `*`.
    ///
    /// A member that is no field name counts as `*`.
    static func selectingNames(_ fields: HTTPFields) -> [String]? {
        let vary = fields.combined("vary") ?? []
        var scanner = FieldScanner(vary)
        while scanner.skipToMember() {
            let token = scanner.token()
            if token.isEmpty || token == [0x2A] || !scanner.isAtMemberEnd() { return nil }
        }
        return FieldScanner.tokens(vary)
    }

    /// Whether `request` selects the stored response. RFC 9111 §4.1.
    func selects(_ request: HTTPRequest, _ response: StoredResponse) -> Bool {
        guard let wanted = selecting(by: response.parsed.vary, request) else { return false }
        return wanted == response.selecting
    }

    /// Returns the positions of the responses that `request` selects.
    func selected(by request: HTTPRequest, among candidates: [StoredResponse]) -> [Int] {
        // The responses of one key mostly have the same `Vary`, so what it selects by is computed once.
        var last: (vary: [String]?, wanted: [SelectingField]?)?
        return candidates.indices.filter { index in
            guard candidates[index].answers(.get) else { return false }
            let vary = candidates[index].parsed.vary
            if last.map({ $0.vary != vary }) ?? true { last = (vary, selecting(by: vary, request)) }
            return last?.wanted == candidates[index].selecting
        }
    }

    /// Returns a field's value with one form of white space at its commas, in lower case where case has no meaning.
    ///
    /// Each byte becomes one scalar, so that values that are not UTF-8 stay distinct. The order is kept, because some
    /// servers follow it among equal weights (RFC 9110 §12.5.4).
    private func normalised(_ value: [UInt8], _ name: String) -> String {
        let hasCase = !Self.caseInsensitive.contains(name)
        var text: [UInt8] = []
        for member in FieldScanner.members(value) {
            if !text.isEmpty { text += [0x2C, 0x20] }
            for byte in hasCase ? member : FieldScanner.lowered(member) {
                // The UTF-8 of the scalar.
                if byte < 0x80 { text.append(byte) } else { text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F] }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The fields whose values do not depend on case; the names are in lower case. RFC 9110 §12.5.
    private static let caseInsensitive: Set<String> = ["accept-language", "accept-encoding", "accept-charset"]
}
