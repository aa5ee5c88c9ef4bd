import Foundation
import HTTPTypes
import LarderTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes the session's events to their exchanges.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    /// Whether the session reports a coded body that it could not decode.
    #if canImport(FoundationNetworking)
    static let decodes = false
    #else
    static let decodes = true
    #endif

    private struct Entry {
        var exchange: Exchange
        var acceptsCoded: Bool
    }

    private let entries = Mutex<[Int: Entry]>([:])

    /// Registers the exchange of a task.
    ///
    /// - Parameter acceptsCoded: Whether a body that the session decodes is passed on.
    func register(_ exchange: Exchange, acceptsCoded: Bool, for identifier: Int) {
        entries.withLock { $0[identifier] = Entry(exchange: exchange, acceptsCoded: acceptsCoded) }
    }

    private func entry(of task: URLSessionTask) -> Entry? { entries.withLock { $0[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let entry = entry(of: dataTask) else { return completionHandler(.cancel) }
        let exchange = entry.exchange
        guard let response = response as? HTTPURLResponse, (100...999).contains(response.statusCode) else {
            exchange.finish(.other(reason: "there is no final response"))
            return completionHandler(.cancel)
        }
        guard response.statusCode != 101 else {
            exchange.finish(.other(reason: "the server changed the protocol"))
            return completionHandler(.cancel)
        }
        // On Linux some interim responses (1xx) arrive here: the final one is still to come.
        guard response.statusCode >= 200 else { return completionHandler(.allow) }
        let head = HTTPResponse(response)
        let isCoded = ContentCoding.isCoded(head)
        let isDecoded = isCoded && entry.acceptsCoded && head.status != .partialContent
        exchange.receive(head: isDecoded ? ContentCoding.decoded(head) : head, isDecoded: isDecoded)
        let hasBody = dataTask.originalRequest?.httpMethod != "HEAD" && ![204, 304].contains(response.statusCode)
        if isCoded, !isDecoded, hasBody {
            exchange.finish(.encodedBody)
            return completionHandler(.cancel)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        entry(of: dataTask)?.exchange.receive([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let entry = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let exchange = entry?.exchange else { return }
        let isSecure = task.originalRequest?.url?.scheme == "https"
        exchange.finish(error.map { TransportError($0, hasHead: exchange.hasHead, isSecure: isSecure) })
    }
}

extension HTTPResponse {
    /// Creates the head from the session's response; fields with a name outside RFC 9110 §5.1 are omitted.
    init(_ response: HTTPURLResponse) {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(status: Status(code: response.statusCode), headerFields: fields)
    }
}
