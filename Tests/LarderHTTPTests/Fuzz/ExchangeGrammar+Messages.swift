// ExchangeGrammar+Messages: draws whole requests and responses.

import LarderTesting

// Whole messages.
extension ExchangeGrammar {
    private static let varied = ["Accept", "Accept-Language", "X-A", "Cookie"]

    mutating func url() -> String {
        pick(["https://example.com/a", "https://example.com/a", "https://example.com/a", "https://example.com/b?c=d"])
    }

    /// A request that may be answered from the cache, or about to fill it.
    mutating func request(near time: Int64, url: String) -> ModelRequest {
        var fields = selectors()
        if happens(300) { fields.append(("Cache-Control", requestControl())) }
        if happens(60) { fields.append(("Pragma", pick(["no-cache", "No-Cache, x", "x", "no-cache=1"]))) }
        if happens(150) { fields.append(("Range", range())) }
        if happens(60) { fields.append(("If-Range", happens(600) ? tag() : date(near: time))) }
        if happens(100) { fields.append(("If-None-Match", happens(700) ? tag() : "\(tag()), \(tag())")) }
        if happens(80) { fields.append(("If-Modified-Since", date(near: time))) }
        if happens(20) { fields.append(("If-Since-Modified", date(near: time))) }
        if happens(15) { fields.append(("If-Match", tag())) }
        if happens(15) { fields.append(("If-Unmodified-Since", date(near: time))) }
        var method = "GET"
        if happens(120) { method = pick(["HEAD", "POST", "POST", "OPTIONS", "get", "FETCH"]) }
        return ModelRequest(method: method, url: url, fields: ModelFields(shuffled(fields)))
    }

    /// What a `Vary` may name.
    private mutating func selectors() -> [(String, String)] {
        var fields: [(String, String)] = []
        for name in Self.varied where happens(350) {
            for _ in 0...(happens(150) ? 1 : 0) {
                fields.append((name, pick(["x", "x", "y", "x, y", "x,y", "x , y", ""])))
            }
        }
        return fields
    }

    mutating func range() -> String {
        if happens(700) {
            let first = random.below(12) * 100
            return "bytes=\(first)-\(first + pickNumber([0, 1, 99, 100, 499, 2000]))"
        }
        return pick([
            "bytes=0-", "bytes=-1", "bytes=-500", "bytes=-0", "bytes=5-4", "bytes=a-b", "bytes=", "bytes=0-0,-1",
            "items=0-1", "BYTES=0-99", "bytes=0-99999999999999999999", "bytes=99999999999999999999-", "bytes 0-1", "",
            "bytes= 0-99", "bytes=0-99 ", "bytes=-99999999999999999999", ",bytes=0-1", "bytes=0 - 9",
        ])
    }

    private mutating func pickNumber(_ numbers: [Int]) -> Int { random.pick(numbers) ?? 0 }

    /// Makes a response, with the fields that state its freshness and its identity.
    mutating func response(near time: Int64) -> ModelResponse {
        var fields: [(String, String)] = []
        if happens(850) {
            fields.append(("Date", happens(700) ? CacheModel().httpDate(Double(time) / 1_000) : date(near: time)))
        }
        if happens(20) { fields.append(("Date", date(near: time))) }
        if happens(700) { fields.append(("Cache-Control", responseControl())) }
        if happens(120) { fields.append(("Cache-Control", responseControl())) }
        if happens(300) { fields.append(("Expires", date(near: time))) }
        if happens(30) { fields.append(("Expires", date(near: time))) }
        if happens(250) { fields.append(("Age", happens(800) ? seconds() : "\(seconds()), \(seconds())")) }
        if happens(30) { fields.append(("Age", seconds())) }
        fields += validators(near: time)
        if happens(250) { fields.append(("Vary", vary())) }
        if happens(40) { fields.append(("Vary", vary())) }
        var status = happens(750) ? 200 : pickNumber([100, 203, 204, 206, 301, 302, 304, 404, 410, 500, 501, 503, 599])
        if happens(120) { status = 206 }
        if status == 206, happens(850) { fields.append(("Content-Range", contentRange())) }
        return ModelResponse(status: status, fields: ModelFields(shuffled(fields + others())))
    }

    mutating func validators(near time: Int64) -> [(String, String)] {
        var fields: [(String, String)] = []
        if happens(450) { fields.append(("ETag", tag())) }
        if happens(15) { fields.append(("ETag", tag())) }
        if happens(400) {
            let known = CacheModel().httpDate(Double(Self.noon - 100_000))
            fields.append(("Last-Modified", happens(400) ? known : date(near: time - 500_000_000)))
        }
        return fields
    }

    private mutating func vary() -> String {
        if happens(80) { return pick(["*", "x-a, *", "", ",", "\"x-a\"", "Authorization"]) }
        var names: [String] = []
        for name in Self.varied where happens(400) { names.append(happens(300) ? name.lowercased() : name) }
        return names.joined(separator: pick([", ", ",", " ,", ",,"]))
    }

    mutating func contentRange() -> String {
        if happens(850) {
            let first = pickNumber([0, 0, 0, 100, 400, 500, 501])
            let last = first + pickNumber([0, 99, 399, 499])
            return "bytes \(first)-\(last)/\(pick(["1000", "1000", "1000", "*", "2000", "\(last + 1)"]))"
        }
        return pick([
            "bytes */1000", "bytes 0-99", "bytes 5-4/10", "bytes 0-10/10", "items 0-1/2", "", "bytes 0-9/x",
            "bytes 0-99999999999999999999/*", "BYTES 0-99/1000", "bytes 0-9223372036854775807/*", "bytes=0-1/2",
        ])
    }

    /// Fields that have nothing to do with freshness, and some that must not be kept.
    private mutating func others() -> [(String, String)] {
        var fields: [(String, String)] = []
        if happens(200) { fields.append(("X-A", pick(["1", "2", ""]))) }
        if happens(60) { fields.append(("X-A", pick(["3", "4"]))) }
        if happens(60) { fields.append(("Connection", pick(["close", "x-a", "X-A, keep-alive", "etag", ""]))) }
        if happens(50) {
            fields.append((pick(["Set-Cookie", "Keep-Alive", "Upgrade", "Proxy-Authenticate"]), "secret"))
        }
        if happens(100) { fields.append(("Content-Type", pick(["text/plain", "text/html"]))) }
        if happens(100) { fields.append(("Content-Length", pick(["1000", "5", "x"]))) }
        if happens(50) { fields.append(("Content-Encoding", pick(["gzip", "br"]))) }
        if happens(30) { fields.append(("CDN-Cache-Control", "max-age=5")) }
        if happens(150) {
            let places = ["/a", "https://EXAMPLE.com:443/a", "/b?c=d", "?c=d", "/x", "https://other.example/a"]
            fields.append(("Content-Location", pick(places)))
        }
        return fields
    }

    private mutating func shuffled(_ fields: [(String, String)]) -> [(String, String)] {
        fields.shuffled(using: &random)
    }
}
