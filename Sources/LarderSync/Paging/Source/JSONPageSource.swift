internal import HTTPTypes
public import LarderTransport

/// A source of list pages from a plain JSON interface over HTTP, such as `GET /users?page=2&size=50`.
///
/// Every request is one GET; the response has to be a 200 with a body of the ``JSONPageLayout``. Bodies are bounded.
public struct JSONPageSource: PageSource {
    /// The names of the query parameters, which also decide how places in the list are named.
    public enum Parameters: Hashable, Sendable {
        /// The number of the page, the first being `first`, and its size: `?page=2&size=50`.
        case pages(index: String = "page", size: String = "size", first: Int = 0)
        /// The number of items to skip, and the most to return: `?offset=100&limit=50`.
        case offsets(offset: String = "offset", limit: String = "limit")
        /// The key to continue after, omitted for the start, and the most items to return: `?after=93&size=50`.
        case keys(after: String = "after", size: String = "size")
    }

    /// The default limit of a body, in bytes: 8 MiB.
    public static let maximumBody = 8 << 20

    private let transport: any Transport
    private let base: BaseURL
    private let path: String
    private let parameters: Parameters
    private let layout: JSONPageLayout
    private let credentials: any Credentials
    private let timeouts: TransportTimeouts
    private let bodyLimit: Int

    /// A source of the list at `path`.
    ///
    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - base: the URL that `path` is appended to.
    ///   - path: appended to the base unchanged, percent-encoded where needed; it may have a query of its own.
    ///   - parameters: the names of the query parameters.
    ///   - layout: the layout of a body.
    ///   - credentials: supplies the header fields that authenticate a request; none by default.
    ///   - timeouts: the time limits for each step of an exchange.
    ///   - bodyLimit: the largest body, in bytes, 1 and above.
    public init(
        transport: any Transport, base: BaseURL, path: String, parameters: Parameters = .pages(),
        layout: JSONPageLayout = JSONPageLayout(), credentials: any Credentials = FixedCredentials(),
        timeouts: TransportTimeouts = TransportTimeouts(), bodyLimit: Int = maximumBody
    ) {
        precondition(bodyLimit > 0, "a body of at most \(bodyLimit) bytes")
        self.transport = transport
        self.base = base
        self.path = path
        self.parameters = parameters
        self.layout = layout
        self.credentials = credentials
        self.timeouts = timeouts
        self.bodyLimit = bodyLimit
    }

    /// The way of paging: by key where the parameters name one, otherwise by offset.
    public var paging: Paging {
        switch parameters {
        case .pages, .offsets: .offset
        case .keys: .keyset
        }
    }

    /// Requests one page, once more with new credentials where the first are refused.
    ///
    /// - Throws: ``SyncError/transport(_:)``, ``SyncError/wire(_:request:)`` for a body without the layout,
    ///   ``SyncError/credentials(_:)`` where there are none, ``SyncError/cancelled``; for other responses
    ///   the error of their status, such as ``SyncError/intercepted(status:)`` for an HTML page.
    public func page(_ request: PageRequest) async throws(SyncError) -> ListPage {
        var response = try await exchange(request, isRefused: false)
        if response.head.status.code == 401 { response = try await exchange(request, isRefused: true) }
        let contentType = response.head.headerFields[.contentType]
        guard ResponseKind.isSuccess(status: response.head.status.code, contentType: contentType) else {
            throw try await Self.refusal(response)
        }
        let body: [UInt8]
        do throws(TransportError) {
            body = try await response.body.collect(upTo: bodyLimit)
        } catch {
            throw SyncError(error)
        }
        do throws(WireError) {
            return try layout.page(body, for: request)
        } catch {
            throw .wire(error, request: .page)
        }
    }

    private func exchange(_ request: PageRequest, isRefused: Bool) async throws(SyncError) -> TransportResponse {
        let fields: HTTPFields
        do {
            fields = try await credentials.fields(for: nil, isRefused: isRefused)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .credentials(error)
        }
        let target = path + (path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query(request)
        do throws(TransportError) {
            return try await transport.send(
                base.request(.get, appending: target, headers: fields), body: nil, timeouts: timeouts)
        } catch {
            throw SyncError(error)
        }
    }

    private func query(_ request: PageRequest) -> String {
        let values: [(name: String, value: String)]
        switch (parameters, request) {
        case (.pages(let index, let size, let first), .offset(let number, let count)):
            values = [(index, String(first + number)), (size, String(count))]
        case (.offsets(let offset, let limit), .offset(let number, let count)):
            values = [(offset, String(number * count)), (limit, String(count))]
        case (.keys(let after, let size), .keyset(let key, let count)):
            values = (key.map { [(after, $0)] } ?? []) + [(size, String(count))]
        case (.pages, .keyset), (.offsets, .keyset), (.keys, .offset):
            preconditionFailure("a source that pages by \(paging.rawValue) received a request of the other kind")
        }
        return values.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }

    /// Returns the error for a response that is not a page.
    private static func refusal(_ response: TransportResponse) async throws(SyncError) -> SyncError {
        let problem = try await ServerProblem(reading: response)
        let fields = response.head.headerFields
        do throws(SyncError) {
            _ = try ResponseKind(
                problem, contentType: fields[.contentType], retryAfter: retryAfter(fields), to: .page)
        } catch {
            return error
        }
        // A response that requires a bootstrap has no meaning for a list.
        return .refused(problem)
    }

    /// Returns the wait that the server requested, in seconds, where it stated one. There is no clock here: a date is
    /// compared with the server's own.
    private static func retryAfter(_ fields: HTTPFields) -> Int? {
        guard let field = fields[.retryAfter] else { return nil }
        let date = fields[.date]
        if Int(field) == nil, date.flatMap({ HTTPDate.milliseconds(of: $0, now: 0) }) == nil { return nil }
        return RetryAfter.seconds(field, date: date, now: 0)
    }
}
