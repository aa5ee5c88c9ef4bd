// Proves that no more of a body is stored than what arrived, whatever its head says about its length.
import HTTPTypes
import LarderHTTP
import LarderTesting
import LarderTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The length of a body` {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var requestFields: HTTPFields = [:]
        var status: HTTPResponse.Status = .ok
        var fields: HTTPFields = [:]
        var length: Int
        /// After how many bytes the connection breaks.
        var breaksAfter: Int?
        var storedCoverage: StoredResponse.Coverage?

        var answer: TransportResponse {
            var fields = fields
            fields[.cacheControl] = "max-age=60"
            let body = [UInt8](repeating: 0x78, count: length)
            return TransportResponse(status: status, headers: fields, body: body)
        }
    }

    private static let range: HTTPFields = [.range: "bytes=0-9"]
    private static let tag: HTTPFields.Element = HTTPField(name: .eTag, value: "\"1\"")
    private static func part(_ text: String, length: String? = nil, tag: Bool = true) -> HTTPFields {
        var fields: HTTPFields = [.contentRange: text]
        fields[.contentLength] = length
        if tag { fields[.eTag] = "\"1\"" }
        return fields
    }

    static let cases = [
        Case(
            testDescription: "part as long as its range", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/20"), length: 10, storedCoverage: .part(0..<10, total: 20)),
        Case(
            testDescription: "part shorter than its range", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/20"), length: 4),
        Case(
            testDescription: "part without a byte", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/20"), length: 0),
        Case(
            testDescription: "part longer than its range", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/20"), length: 12),
        Case(
            testDescription: "part as long as announced, and shorter than its range", requestFields: range,
            status: .partialContent, fields: part("bytes 0-9/20", length: "4"), length: 4),
        Case(
            testDescription: "part as long as announced, and longer than its range", requestFields: range,
            status: .partialContent, fields: part("bytes 0-9/20", length: "12"), length: 12),
        Case(
            testDescription: "part that is all, and shorter", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/10"), length: 4),
        Case(
            testDescription: "part that is all", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/10"), length: 10, storedCoverage: .whole),
        Case(
            testDescription: "part that breaks off", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/20"), length: 10, breaksAfter: 4, storedCoverage: .part(0..<4, total: 20)),
        Case(
            testDescription: "part that breaks off without a validator", requestFields: range, status: .partialContent,
            fields: part("bytes 0-9/20", tag: false), length: 10, breaksAfter: 4),
        Case(
            testDescription: "several parts", requestFields: [.range: "bytes=0-1,4-5"], status: .partialContent,
            fields: [.contentType: "multipart/byteranges; boundary=b", .eTag: "\"1\""], length: 40),
        Case(
            testDescription: "whole as long as announced", fields: [.contentLength: "10", .eTag: "\"1\""], length: 10,
            storedCoverage: .whole),
        Case(
            testDescription: "whole shorter than announced", fields: [.contentLength: "10", .eTag: "\"1\""], length: 4,
            storedCoverage: .part(0..<4, total: 10)),
        Case(
            testDescription: "whole shorter than announced, without a validator", fields: [.contentLength: "10"],
            length: 4),
        Case(
            testDescription: "whole longer than announced", fields: [.contentLength: "10", .eTag: "\"1\""], length: 12),
        Case(
            testDescription: "chunks cut short", fields: [.eTag: "\"1\"", .transferEncoding: "chunked"], length: 10,
            breaksAfter: 4, storedCoverage: .part(0..<4, total: nil)),
        Case(
            testDescription: "chunks cut short, without a validator", fields: [.transferEncoding: "chunked"],
            length: 10, breaksAfter: 4),
        Case(
            testDescription: "chunks beside a length that is not theirs",
            fields: [.transferEncoding: "chunked", .contentLength: "4"], length: 10, storedCoverage: .whole),
    ]

    @Test(arguments: cases)
    func `is what arrived, or it is not stored`(given: Case) async throws {
        let fixture = CacheFixture { (_, _) throws(TransportError) in given.answer }
        if let count = given.breaksAfter { fixture.server.plan(.cut(after: count), exchange: 0) }
        _ = try? await fixture.get("/a", fields: given.requestFields)
        #expect(fixture.store.all.map(\.response.coverage) == (given.storedCoverage.map { [$0] } ?? []))
        if let entry = fixture.store.all.first {
            let storedCount: Int64 =
                switch entry.response.coverage {
                case .whole: 10
                case .part(let range, _): Int64(range.count)
                }
            #expect(entry.body.byteCount == storedCount)
        }
    }

    @Test(arguments: [0, 5, 7])
    func `of the rest is what makes the whole, or the part stays what it is`(count: Int) async throws {
        let fixture = CacheFixture { (request, _) throws(TransportError) in
            var fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]
            guard request.headerFields[.range] != nil else {
                fields[.contentLength] = "10"
                return ok(fields, "0123456789")
            }
            fields[.contentRange] = "bytes 4-9/10"
            return TransportResponse(
                status: .partialContent, headers: fields, body: Array("456789x".utf8.prefix(count)))
        }
        fixture.server.plan(.cut(after: 4), exchange: 0)
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        await #expect(throws: HTTPCacheError.self) { _ = try await fixture.get() }
        #expect(fixture.requests.last?.headerFields[.range] == "bytes=4-")
        #expect(fixture.store.all.map(\.response.coverage) == [.part(0..<4, total: 10)])
        #expect(fixture.store.all.map(\.body.byteCount) == [4])
    }
}
