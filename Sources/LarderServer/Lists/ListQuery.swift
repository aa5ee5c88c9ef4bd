/// One request for a page of a resource's rows in key order.
public struct ListQuery: Hashable, Sendable {
    /// The start of a page.
    public enum Start: Hashable, Sendable {
        /// After this number of pages of the same size; 0 and above.
        case page(Int)
        /// After the row of that key.
        case after(String)
    }

    /// The page sizes that are served, in rows.
    public static let pageSizes = 1...1000
    /// The page size of a request that names none.
    public static let defaultPageSize = 50

    /// The start of the page.
    public let start: Start
    /// The maximum number of rows on the page.
    public let size: Int
    /// The type of the rows; nil for all.
    public let type: String?

    /// Creates a request for a page.
    public init(_ start: Start = .page(0), size: Int = defaultPageSize, type: String? = nil) {
        self.start = start
        self.size = size
        self.type = type
    }

    /// Parses the query part of a request's target: `page` (from 0) or `after`, `size`, `type`. Unknown parameters are
    /// ignored.
    ///
    /// - Throws: ``OriginProblem``: 400 for parameters that appear twice, exclude each other or cannot be read; 422 for
    ///   a size that is not served.
    public init(parsing query: Substring) throws(OriginProblem) {
        var parameters: [String: String] = [:]
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0]), halves.count == 2,
                let value = PercentEncoding.decode(halves[1])
            else { throw .invalidRequest("the query is not percent-encoded UTF-8") }
            guard parameters.updateValue(value, forKey: name) == nil else {
                throw .invalidRequest("a parameter is repeated")
            }
        }
        size = try Self.number(parameters["size"], "size") ?? Self.defaultPageSize
        guard Self.pageSizes.contains(size) else { throw OriginProblem(status: 422, message: "size must be 1 to 1000") }
        type = parameters["type"]
        let page = try Self.number(parameters["page"], "page")
        switch (page, parameters["after"]) {
        case (_?, _?): throw .invalidRequest("page and after exclude each other")
        case (nil, let key?): start = .after(key)
        case (let page, nil): start = .page(page ?? 0)
        }
    }

    private static func number(_ text: String?, _ name: String) throws(OriginProblem) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), number >= 0 else { throw .invalidRequest("\(name) must be a number") }
        return number
    }
}
