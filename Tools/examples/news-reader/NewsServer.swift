#if Server
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The server of the example: a front page, articles and images, with what a cache needs to know of them.
enum NewsServer {
    /// Serves until the process receives SIGINT or SIGTERM.
    static func run(port: Int) async throws {
        var logger = Logger(label: "news-reader")
        logger.logLevel = .warning
        let application = Application(
            router: router(), configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                let line = "the news are at http://127.0.0.1:\(channel.localAddress?.port ?? port)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            }, logger: logger)
        try await application.runService()
    }

    /// Returns the routes: the front page changes often, an article seldom, an image never.
    static func router(_ articles: [Article] = articles) -> Router<BasicRequestContext> {
        let router = Router()
        let headlines = articles.enumerated().map { Headline(number: $0.offset + 1, title: $0.element.title) }
        router.get("/front.json") { request, _ in
            try respond(to: request, with: JSONEncoder().encode(headlines), "application/json", "max-age=60")
        }
        router.get("/articles/:number") { request, context in
            let article = try article(context.parameters.require("number", as: Int.self), of: articles)
            return try respond(to: request, with: JSONEncoder().encode(article), "application/json", "max-age=600")
        }
        router.get("/images/:number") { request, context in
            let number = try context.parameters.require("number", as: Int.self)
            _ = try article(number, of: articles)
            return try respond(
                to: request, with: image(number), "image/svg+xml", "max-age=31536000, immutable")
        }
        return router
    }

    private static func article(_ number: Int, of articles: [Article]) throws -> Article {
        guard articles.indices.contains(number - 1) else { throw HTTPError(.notFound) }
        return articles[number - 1]
    }

    /// Returns 304 where the client has these bytes already. RFC 9110 §13.1.2.
    private static func respond(
        to request: Request, with body: Data, _ type: String, _ cacheControl: String
    ) throws -> Response {
        let hash = body.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let tag = "\"\(String(hash, radix: 16))\""
        let fields: HTTPFields = [.eTag: tag, .cacheControl: cacheControl]
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: fields) }
        return Response(
            status: .ok, headers: fields.merging([.contentType: type]),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// Returns a picture of bars, another one for each number.
    private static func image(_ number: Int) -> Data {
        let bars = (0..<8).map { bar in
            let height = 20 + (number * 37 + bar * 53) % 80
            let hue = (number * 60 + bar * 12) % 360
            return
                #"<rect x="\#(bar * 20)" y="\#(100 - height)" width="18" height="\#(height)" fill="hsl(\#(hue) 60% 50%)"/>"#
        }
        return Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="160" height="100">\#(bars.joined())</svg>"#.utf8)
    }

    private static let articles = [
        Article(
            title: "The ferry runs until midnight",
            text: """
                From Monday the ferry between the two harbours runs every half hour until midnight. The last boat used
                to leave at nine. Tickets stay as they are, and bicycles are carried free of charge after eight.
                """),
        Article(
            title: "The old bridge is closed for repairs",
            text: """
                The stone bridge is closed for six weeks, because two of its arches are built anew. Walkers use the
                footbridge downstream; cars go by the northern road, which needs about ten minutes more.
                """),
        Article(
            title: "Rain has filled the reservoirs",
            text: """
                After three wet weeks all four reservoirs are full for the first time in eleven years. Gardens may be
                watered again, and the paths along the shore are open where they are not under water.
                """),
        Article(
            title: "The library opens on Sundays",
            text: """
                The reading hall is open from ten to four on Sundays until spring. Books can be returned at any time, and
                the children's hour begins at eleven.
                """),
    ]
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields { HTTPFields(Array(self) + Array(others)) }
}
#endif
