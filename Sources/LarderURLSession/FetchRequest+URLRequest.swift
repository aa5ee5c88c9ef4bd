private import HTTPTypes
public import LarderHTTP

#if canImport(FoundationNetworking)
private import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

// For an app that has URLRequests and fetches them through a cache.
extension FetchRequest {
    /// Creates the request of `request`: address, method, header fields and body, with the terms of its cache policy.
    ///
    /// The other half of the policy is the strategy, ``SingleAnswerStrategy/init(_:)``:
    ///
    /// ```swift
    /// guard let asked = FetchRequest(request) else { return }
    /// let answer = try await cache.fetch(asked, SingleAnswerStrategy(request.cachePolicy))
    /// ```
    ///
    /// Not used: the timeout (``FetchRequest/timeouts``), cookies, the main document, and the cost limits of the
    /// network.
    ///
    /// - Returns: nil for an address that is not an absolute http or https one, for a method or field that HTTP does
    ///   not allow, and for a body that is a stream.
    public init?(_ request: URLRequest) {
        guard let url = request.url, let method = HTTPRequest.Method(request.httpMethod ?? "GET"),
            request.httpBodyStream == nil
        else { return nil }
        var fields = HTTPFields()
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else { return nil }
            fields[name] = value
        }
        if request.cachePolicy == .reloadIgnoringLocalAndRemoteCacheData, fields[.cacheControl] == nil {
            fields[.cacheControl] = "no-cache"
        }
        self.init(url.absoluteString, method: method, fields: fields, body: request.httpBody.map { Array($0) })
        switch request.cachePolicy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad: terms.ignoresMustRevalidate = true
        case .reloadRevalidatingCacheData: terms.forcesValidation = true
        default: break
        }
    }
}

extension SingleAnswerStrategy {
    /// Creates the strategy of a cache policy, for a request made by ``FetchRequest/init(_:)``, which has the terms of
    /// the policy.
    ///
    /// | policy | strategy | terms of the request |
    /// | --- | --- | --- |
    /// | `useProtocolCachePolicy` | ``standard`` | |
    /// | `reloadRevalidatingCacheData` | ``standard`` | ``RequestTerms/forcesValidation`` |
    /// | `reloadIgnoringLocalCacheData` | ``reload`` | |
    /// | `reloadIgnoringLocalAndRemoteCacheData` | ``reload`` | `Cache-Control: no-cache` |
    /// | `returnCacheDataElseLoad` | ``cacheElseNetwork`` | ``RequestTerms/ignoresMustRevalidate`` |
    /// | `returnCacheDataDontLoad` | ``cacheOnly`` | ``RequestTerms/ignoresMustRevalidate`` |
    ///
    /// A policy unknown to this version is ``standard``.
    public init(_ policy: URLRequest.CachePolicy) {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: self = .reload
        case .returnCacheDataElseLoad: self = .cacheElseNetwork
        case .returnCacheDataDontLoad: self = .cacheOnly
        default: self = .standard
        }
    }
}
