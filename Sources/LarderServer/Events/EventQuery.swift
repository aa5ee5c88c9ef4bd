/// A request for the events of filters: which of them have changes, and when they get others.
///
/// `GET {base}/api/v4/resources/events?resources=translations:19&resources=tafsirs:*&after=1042`
struct EventQuery: Hashable, Sendable {
    /// One filter of the request, and its text as the client spells it.
    struct Filter: Hashable, Sendable {
        let text: String
        let filter: ContentFilter
    }

    /// The largest number of filters in one request.
    static let mostFilters = 100

    /// The filters, in the order of the request.
    let filters: [Filter]
    /// The number of the change up to which the client has all of them; `nil` where it names none.
    let after: Int64?

    /// Parses the query part of a request's target. Unknown parameters are ignored.
    ///
    /// - Parameter lastEventID: The value of `Last-Event-ID`, which browsers send when they connect again. It replaces
    ///   `after`.
    /// - Throws: ``OriginProblem``: `invalid_resources` without a filter, or for one that cannot be read; 400 for another
    ///   number of filters than 1 to 100, and for an `after` that is no number of 0 and above.
    init(parsing query: Substring, lastEventID: String?) throws(OriginProblem) {
        var filters: [Filter] = []
        var after = lastEventID
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0]),
                let value = halves.count == 2 ? PercentEncoding.decode(halves[1]) : ""
            else { throw .invalidRequest("the query is not percent-encoded UTF-8") }
            switch name {
            case "resources":
                guard let filter = ContentFilter(value) else { throw .invalidResources }
                filters.append(Filter(text: value, filter: filter))
            case "after": after = lastEventID ?? value
            default: continue
            }
        }
        guard !filters.isEmpty else { throw .invalidResources }
        guard filters.count <= Self.mostFilters else { throw .invalidRequest("at most 100 filters in one request") }
        self.filters = filters
        self.after = try after.map { text throws(OriginProblem) in
            guard let number = Int64(text), number >= 0 else { throw .invalidRequest("after must be a number") }
            return number
        }
    }
}
