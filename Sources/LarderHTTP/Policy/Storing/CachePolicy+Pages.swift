internal import HTTPTypes

extension CachePolicy {
    /// Whether an answer is a page of HTML where something else is stored, and the request did not ask for pages.
    ///
    /// So does a captive portal answer, or a proxy that reports an error with a status of success: what is stored is
    /// better than that. A server that really changes to HTML is asked each time, and its answers are delivered, until
    /// the stored one is removed. A request asks for pages when its `Accept` names their type; `*/*` names none.
    func isUnaskedPage(
        _ response: HTTPResponse, to request: HTTPRequest, inPlaceOf stored: [StoredResponse]
    ) -> Bool {
        guard Self.isPage(response.headerFields) == true else { return false }
        let accepted = FieldScanner.members(FieldScanner.lowered(request.headerFields.combined("accept") ?? []))
        if accepted.contains(where: { member in Self.pages.contains { member.starts(with: $0) } }) { return false }
        return stored.contains { $0.status.kind == .successful && Self.isPage($0.fields) == false }
    }

    /// Whether the content is a page; nil when the fields do not say.
    private static func isPage(_ fields: HTTPFields) -> Bool? {
        guard let type = fields.first("content-type") else { return nil }
        let lowered = FieldScanner.lowered(type)
        return pages.contains { page in
            // The type ends here, or its parameters begin.
            lowered.starts(with: page)
                && (lowered.count == page.count || [0x3B, 0x20, 0x09].contains(lowered[page.count]))
        }
    }

    private static let pages = ["text/html", "application/xhtml+xml"].map { Array($0.utf8) }
}
