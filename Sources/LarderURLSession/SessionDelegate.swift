import Foundation
import HTTPTypes
import LarderTransport
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hands what the session reports to the exchange it is about.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    func register(_ exchange: Exchange, for identifier: Int) {
        exchanges.withLock { $0[identifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

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
        guard let exchange = exchange(of: dataTask) else { return completionHandler(.cancel) }
        guard let response = response as? HTTPURLResponse, (100...999).contains(response.statusCode) else {
            exchange.finish(.other(reason: "there is no final response"))
            return completionHandler(.cancel)
        }
        guard response.statusCode != 101 else {
            exchange.finish(.other(reason: "the server changed the protocol"))
            return completionHandler(.cancel)
        }
        // On Linux some interim answers (1xx) get here: the final one is still to come.
        guard response.statusCode >= 200 else { return completionHandler(.allow) }
        exchange.receive(head: HTTPResponse(response))
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let exchange else { return }
        let isSecure = task.originalRequest?.url?.scheme == "https"
        exchange.finish(error.map { TransportError($0, hasHead: exchange.hasHead, isSecure: isSecure) })
    }
}

extension HTTPResponse {
    /// The head as the session gives it; fields with a name outside RFC 9110 §5.1 are left out.
    ///
    /// So are the coding of the body, which the session undoes, and the length it had before.
    init(_ response: HTTPURLResponse) {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(status: Status(code: response.statusCode), headerFields: fields)
        guard ContentCoding.isCoded(self) else { return }
        headerFields[.contentEncoding] = nil
        headerFields[.contentLength] = nil
    }
}
