import HTTPTypes
internal import LarderFormat
import LarderStore

// Which stored responses an answer may replace. Not to store is always allowed (RFC 9111 §3).
extension CacheExchange {
    /// Which of the stored responses `response` would hide, now that it has come.
    ///
    /// Includes responses stored while the server was asked, and those that another request selects.
    func replaced(by response: StoredResponse) async -> [CachedResponse] {
        await host.lookup(resolved).candidates.filter { $0.response.isHidden(by: response) }
    }

    /// Why the head of an answer keeps it from the place of what is stored; nil when it does not.
    ///
    /// A captive portal answers with a redirection, an empty success or its page, and a proxy may report an error with a
    /// status of success: content that is stored is better than these. A server that really changes so is asked each
    /// time, and its answers are delivered, until the stored one is removed.
    func reasonToLeave(
        _ answered: Answered, as response: StoredResponse, replacing replaced: [CachedResponse]
    ) -> CacheReason? {
        let status = answered.head.status
        if isError(status), replaced.contains(where: { !isError($0.response.status) }) { return .errorLeavesCache }
        let content = replaced.filter(\.hasContent)
        if !content.isEmpty {
            if status.kind != .successful { return .redirectionLeavesCache }
            if status == .noContent || answered.announcedLength == 0 { return .emptyLeavesCache }
        }
        if !contentGuard(answered, replacing: content).admitsType { return .pageLeavesCache }
        if response.coverage != .whole, replaced.contains(where: { $0.response.coverage == .whole }) {
            return .partBesideWhole
        }
        return nil
    }

    /// What holds the body of an answer against what is stored.
    func contentGuard(_ answered: Answered, replacing replaced: [CachedResponse]) -> ContentGuard {
        ContentGuard(replacing: replaced, by: answered.head.headerFields, asked: answered.sent.askedKind)
    }

    /// Whether a status counts as an error; for callers that decode a value, a redirection does.
    private func isError(_ status: HTTPResponse.Status) -> Bool {
        status.code >= 400 || resolved.check != nil && status.kind != .successful
    }
}

extension StoredResponse {
    /// Whether there is a request that selects both responses: it gets the more recent one. RFC 9111 §4.1.
    ///
    /// An answer without the `Vary` of its resource, such as an error page, hides all variants.
    fileprivate func isHidden(by other: StoredResponse) -> Bool {
        for field in selecting {
            let same = other.selecting.first { $0.name == field.name }
            if let same, same.value != field.value { return false }
        }
        // Only requests for the same account select what an account selects.
        return selecting.filter(\.isAccount) == other.selecting.filter(\.isAccount)
    }
}

extension SelectingField {
    /// Whether it stands for an account: FORMAT.md, "responses".
    fileprivate var isAccount: Bool { name.utf8.first == UInt8(ascii: ":") }
}
