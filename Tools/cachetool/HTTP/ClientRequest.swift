import Foundation
import HTTPTypes
import LarderHTTP
import LarderTransport

/// A line of input to `serve-client`.
struct ClientRequest: Decodable {
    /// The identity of a request, repeated unchanged in its reply: a number or a text.
    enum ID: Decodable {
        case integer(Int64)
        case text(String)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        var json: JSON {
            switch self {
            case .integer(let number): .integer(number)
            case .text(let text): .string(text)
            }
        }
    }

    /// The problem of a line, as a sentence.
    struct Fault: Error {
        let sentence: String
    }

    var id: ID?
    var method: String?
    var url: String
    var headers: [[String]]?
    var body: String?
    var bodyBase64: String?
    var cache: String?
    var timeout: Double?

    enum CodingKeys: String, CodingKey {
        case id, method, url, headers, body, cache, timeout
        case bodyBase64 = "body_b64"
    }

    /// Decodes a line.
    ///
    /// - Throws: ``Fault`` when it is no request in JSON.
    init(line: [UInt8]) throws(Fault) {
        do {
            self = try JSONDecoder().decode(ClientRequest.self, from: Data(line))
        } catch {
            throw Fault(sentence: "The line is not a request in JSON.")
        }
    }

    /// The time limit of the whole exchange: in seconds, or, from 1000 on, in milliseconds.
    var limit: Duration? {
        guard let timeout, timeout > 0, timeout < 1e9 else { return nil }
        return timeout < 1000 ? .seconds(timeout) : .milliseconds(timeout)
    }

    /// Returns the request and its cache strategy, by the names of the `cache` option of `fetch()`.
    ///
    /// - Throws: ``Fault`` for an invalid method, URL, header, body or cache mode.
    func fetch() throws(Fault) -> (FetchRequest, SingleAnswerStrategy) {
        guard let method = HTTPRequest.Method(rawValue: method ?? "GET") else {
            throw Fault(sentence: "The method is none.")
        }
        guard var request = FetchRequest(url, method: method, fields: try fields(), body: try bytes()) else {
            throw Fault(sentence: "The URL is not an http or https address.")
        }
        if let limit { request.timeouts = TransportTimeouts(connect: limit, head: limit, idle: limit) }
        switch cache ?? "default" {
        case "default": return (request, .standard)
        case "no-cache":
            request.terms.forcesValidation = true
            return (request, .standard)
        case "no-store": return (request, .networkOnly)
        case "reload": return (request, .reload)
        case "force-cache": return (request, .cacheElseNetwork)
        case "only-if-cached": return (request, .cacheOnly)
        default: throw Fault(sentence: "There is no cache mode of that name.")
        }
    }

    private func fields() throws(Fault) -> HTTPFields {
        var fields = HTTPFields()
        for pair in headers ?? [] {
            guard pair.count == 2, let name = HTTPField.Name(pair[0]), let field = Latin1.field(name, pair[1]) else {
                throw Fault(sentence: "A header is not a pair of a name and a value in ISO-8859-1.")
            }
            fields.append(field)
        }
        return fields
    }

    private func bytes() throws(Fault) -> [UInt8]? {
        if let body { return Array(body.utf8) }
        guard let bodyBase64 else { return nil }
        guard let data = Data(base64Encoded: bodyBase64) else { throw Fault(sentence: "The body is not base64.") }
        return [UInt8](data)
    }
}
