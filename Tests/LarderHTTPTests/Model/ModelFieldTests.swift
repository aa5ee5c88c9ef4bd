// Proves that the model parses header fields as the RFCs say.

import Testing

@Suite struct `The model reads fields` {
    let model = CacheModel()

    /// The three spellings of RFC 9110 §5.6.7 are one point in time.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt",
    ])
    func `as dates in three forms`(text: String) {
        #expect(model.date(text, now: 1_700_000_000) == 784_111_777)
    }

    @Test(arguments: [
        "0", "", "tomorrow", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
        "784111777",
    ])
    func `as no dates when they are none`(text: String) {
        #expect(model.date(text, now: 1_700_000_000) == nil)
    }

    @Test func `with two digits of a year at most fifty years ahead`() {
        // 14 November 2023.
        let now = 1_700_000_000.0
        #expect(model.date("Friday, 01-Jan-71 00:00:00 GMT", now: now) == 3_187_296_000)
        #expect(model.date("Friday, 01-Jan-99 00:00:00 GMT", now: now) == 915_148_800)
    }

    @Test func `as times that it writes again`() {
        for time in stride(from: -62_000_000_000.0, through: 200_000_000_000.0, by: 7_777_777_777) {
            #expect(model.date(model.httpDate(time), now: 0) == time)
        }
        #expect(model.httpDate(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// RFC 9111 §5.2.3.
    @Test func `as directives, known and unknown`() {
        let fields = ModelFields([("Cache-Control", "private, community=\"UCI\"")])
        #expect(
            model.directives(fields) == [
                ModelDirective(name: "private", argument: nil), ModelDirective(name: "community", argument: "UCI"),
            ])
    }

    @Test func `as lists with quoted commas, empty members and several lines`() {
        let fields = ModelFields([
            ("cache-control", ", ,NO-CACHE=\"a, b\" ,"), ("Cache-Control", "max-age=5,max-age = 6"),
        ])
        #expect(
            model.directives(fields) == [
                ModelDirective(name: "no-cache", argument: "a, b"), ModelDirective(name: "max-age", argument: "5"),
                ModelDirective(name: "max-age", argument: nil, isMalformed: true),
            ])
        #expect(model.seconds("max-age", in: fields) == .some(5))
        #expect(model.seconds("min-fresh", in: fields) == nil)
    }

    /// RFC 9111 §1.2.2.
    @Test func `as numbers of seconds that have an upper end and no lower one`() {
        #expect(model.deltaSeconds("0") == 0)
        #expect(model.deltaSeconds("99999999999999999999999") == 2_147_483_648)
        for text in ["-1", "+1", "1.0", "", "1s", "١"] { #expect(model.deltaSeconds(text) == nil) }
    }

    /// RFC 9111 §5.1.
    @Test(arguments: [("7", 7), ("7, 9", 7), ("x", 0), ("-7", 0), ("7;a=b", 0)])
    func `as an age, of which the first member counts`(text: String, seconds: Double) {
        #expect(model.ageField(ModelFields([("Age", text)])) == seconds)
    }

    /// RFC 9110 §8.8.3.
    @Test func `as entity tags`() {
        #expect(model.quotedTag("\"xyzzy\"") == CacheModel.Tag(isWeak: false, opaque: "\"xyzzy\""))
        #expect(model.quotedTag("W/\"xyzzy\"") == CacheModel.Tag(isWeak: true, opaque: "\"xyzzy\""))
        #expect(model.quotedTag("\"\"") == CacheModel.Tag(isWeak: false, opaque: "\"\""))
        for text in ["xyzzy", "w/\"xyzzy\"", "\"x\"y\"", "\"", "\"a b\""] { #expect(model.quotedTag(text) == nil) }
    }

    /// RFC 9110 §14.4.
    @Test func `as ranges of what is sent`() {
        func read(_ text: String) -> (range: Range<Int64>, total: Int64?)? {
            model.contentRange(ModelResponse(status: 206, fields: ModelFields([("Content-Range", text)])))
        }
        #expect(read("bytes 42-1233/1234")?.range == 42..<1234)
        #expect(read("bytes 42-1233/1234")?.total == 1234)
        #expect(read("bytes 42-1233/*")?.range == 42..<1234)
        for text in ["bytes */1234", "exampleunit 1.2-4.3/25", "bytes 5-4/10", "bytes 5-10/10", "bytes 0-1"] {
            #expect(read(text) == nil)
        }
    }

    /// RFC 9110 §14.1.2, of a representation of 10,000 bytes.
    @Test(arguments: [
        ("bytes=0-499", 0..<500), ("bytes=500-999", 500..<1000), ("bytes=-500", 9500..<10_000),
        ("bytes=9500-", 9500..<10_000), ("bytes=0-0", 0..<1), ("bytes=-1", 9999..<10_000),
        ("bytes=9999-99999999999999999999", 9999..<10_000),
    ])
    func `as ranges that are requested`(text: String, bytes: Range<Int64>) throws {
        let request = ModelRequest(fields: ModelFields([("Range", text)]))
        let wanted = try #require(model.ranges(request))
        #expect(model.bytes(wanted[0], of: 10_000) == bytes)
    }
}
