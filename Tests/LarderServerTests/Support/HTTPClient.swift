// Answer and send(_:): an HTTP client without a cache for the tests of the server.

#if Server
import Foundation
import LarderServer
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One answer of a server, as a client sees it.
struct Answer {
    let status: Int
    let fields: [String: String]
    let body: Data

    /// The body as a JSON object.
    var object: [String: Any] {
        get throws { try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any]) }
    }

    /// The code of a content-sync error, if it is one and nothing else.
    var code: String? {
        guard let object = try? object, object.keys.sorted() == ["error"],
            let error = object["error"] as? [String: Any], error.keys.sorted() == ["code", "message"],
            let message = error["message"] as? String, !message.isEmpty
        else { return nil }
        return error["code"] as? String
    }

    /// The type of a general error, if it is one and nothing else.
    var type: String? {
        guard let object = try? object, object.keys.sorted() == ["message", "success", "type"],
            object["success"] as? Bool == false
        else { return nil }
        return object["type"] as? String
    }
}

/// Sends one request on a connection that no cache answers for.
func send(
    _ method: String = "GET", _ url: String, fields: [String: String] = [:], body: String? = nil
) async throws -> Answer {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    // The end of a test that hangs; how fast a machine answers is not tested.
    request.timeoutInterval = 300
    request.httpBody = body.map { Data($0.utf8) }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await session.data(for: request)
    let head = try #require(response as? HTTPURLResponse)
    var received: [String: String] = [:]
    for (name, value) in head.allHeaderFields {
        if let name = name as? String, let value = value as? String { received[name.lowercased()] = value }
    }
    return Answer(status: head.statusCode, fields: received, body: data)
}

/// A page as a client decodes it; members that must be there are not optional.
struct Page: Decodable {
    struct Mutation: Decodable {
        let sequence: Int64
        let type: String
        let resource_group: String
        let resource_id: Int64
        let snapshot_url: String?
    }

    struct Sync: Decodable {
        let sync_until_sequence: Int64
        let has_more: Bool
        let next_page_url: String?
        let next_sync_token: String?
        let mutations: [Mutation]
    }

    let sync: Sync
}

/// All pages of a run that begins with `query`; at most 100.
func run(_ base: String, _ query: String) async throws -> [Page.Sync] {
    var pages: [Page.Sync] = []
    var path: String? = "/api/v4/resources/sync?" + query
    while let next = path, pages.count < 100 {
        let answer = try await send("GET", base + next)
        try #require(answer.status == 200)
        let page = try JSONDecoder().decode(Page.self, from: answer.body).sync
        #expect(page.has_more == (page.next_page_url != nil))
        #expect(page.has_more == (page.next_sync_token == nil))
        pages.append(page)
        path = page.next_page_url
    }
    return pages
}
#endif
