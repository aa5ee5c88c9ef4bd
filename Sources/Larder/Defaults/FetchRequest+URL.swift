public import HTTPTypes
public import LarderHTTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension FetchRequest {
    /// Creates a request for the resource at `url`; nil unless that is an absolute http or https address.
    ///
    /// A fragment is left out, as by the initializer that accepts a `String`.
    ///
    /// ```swift
    /// guard let request = FetchRequest(url) else { return }
    /// let answer = try await cache.fetch(request)
    /// ```
    public init?(_ url: URL, method: HTTPRequest.Method = .get, fields: HTTPFields = [:], body: [UInt8]? = nil) {
        self.init(url.absoluteString, method: method, fields: fields, body: body)
    }
}
