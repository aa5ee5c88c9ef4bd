#if Server && AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// A small service to cache: each page shows another rule.
enum DemoOrigin {
    private static let pages = """
        /time     the time; fresh for 5 seconds
        /slow     needs 2 seconds; fresh for a minute
        /count    a number; POST makes it one larger, and the cache drops the old one
        /private  never stored by a cache that several clients share

        """

    /// Returns the routes of the service.
    static func router() -> Router<BasicRequestContext> {
        let count = CountedPage()
        let router = Router()
        router.get("/") { _, _ in response(pages, "max-age=60") }
        router.get("/time") { _, _ in response(Date().formatted(.iso8601) + "\n", "max-age=5") }
        router.get("/slow") { _, _ in
            try await Task.sleep(for: .seconds(2))
            return response("this needed 2 seconds\n", "max-age=60")
        }
        router.get("/count") { _, _ in response("\(count.value)\n", "max-age=3600") }
        router.post("/count") { _, _ in
            count.increment()
            return Response(status: .noContent)
        }
        router.get("/private") { _, _ in response(UUID().uuidString + "\n", "private, max-age=60") }
        return router
    }

    private static func response(_ text: String, _ cacheControl: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: cacheControl],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// The number behind the page `/count`.
private final class CountedPage: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }

    func increment() { number.withLock { $0 += 1 } }
}
#endif
