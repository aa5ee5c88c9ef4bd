import HTTPTypes
internal import LarderFormat
import LarderStore

// The stored responses that an answer may replace. Refusing to store is always permitted (RFC 9111 §3).
extension CacheExchange {
    /// Returns the stored responses that `response` would hide.
    ///
    /// They include responses stored during the exchange, and those that another request selects.
    func replaced(by response: StoredResponse) async -> [CachedResponse] {
        await host.lookup(resolved).candidates.filter { $0.response.isHidden(by: response) }
    }

    /// Returns the reason why the head of an answer keeps it from replacing the stored responses; nil when it may.
    ///
    /// A captive portal responds with a redirection, an empty success or its page, and a proxy may report an error with
    /// a status of success. Stored content is better than these. If a server really changes in such a way, each request
    /// is sent and its answers are delivered until the stored response is removed.
    func reasonNotToReplace(
        _ serverResponse: ServerResponse, as response: StoredResponse, replacing replaced: [CachedResponse]
    ) -> CacheReason? {
        let status = serverResponse.head.status
        if isError(status), replaced.contains(where: { !isError($0.response.status) }) { return .errorDoesNotReplace }
        let content = replaced.filter(\.hasContent)
        if !content.isEmpty {
            if status.kind != .successful { return .redirectionDoesNotReplace }
            if status == .noContent || serverResponse.announcedLength == 0 { return .emptyDoesNotReplace }
        }
        if !contentGuard(serverResponse, replacing: content).allowsType { return .pageDoesNotReplace }
        if response.coverage != .whole, replaced.contains(where: { $0.response.coverage == .whole }) {
            return .partDoesNotReplace
        }
        return nil
    }

    /// Returns the guard that compares the body of an answer with the stored content.
    func contentGuard(_ serverResponse: ServerResponse, replacing replaced: [CachedResponse]) -> ContentGuard {
        ContentGuard(
            replacing: replaced, by: serverResponse.head.headerFields, requested: serverResponse.sent.requestedKind)
    }

    /// Whether a status counts as an error; for callers that decode a value, a redirection does.
    private func isError(_ status: HTTPResponse.Status) -> Bool {
        status.code >= 400 || resolved.check != nil && status.kind != .successful
    }
}

extension StoredResponse {
    /// Whether some request selects both responses, so that it gets the more recent one. RFC 9111 §4.1.
    ///
    /// An answer without the `Vary` of its resource, such as an error page, hides all variants.
    fileprivate func isHidden(by other: StoredResponse) -> Bool {
        for field in selecting {
            let same = other.selecting.first { $0.name == field.name }
            if let same, same.value != field.value { return false }
        }
        // Responses of an account are selected only by requests for the same account.
        return selecting.filter(\.isAccount) == other.selecting.filter(\.isAccount)
    }
}

extension SelectingField {
    /// Whether it represents an account: FORMAT.md, "responses".
    fileprivate var isAccount: Bool { name.utf8.first == UInt8(ascii: ":") }
}
