// Proves that Cache-Control is parsed leniently, and that malformed directives restrict rather than permit.

import Testing

@testable import LarderHTTP

@Suite struct `Cache-Control` {
    private func read(_ text: String) -> CacheControl { CacheControl(Array(text.utf8)) }

    @Test(arguments: [
        "max-age=60", "MaX-aGe=60", "max-age=\"60\"", ", ,max-age=0060 ,", "x, max-age=60", "a=\"b,\\\"c\",max-age=60",
    ])
    func `is read in any case, quoted or not, among others`(text: String) {
        #expect(read(text).maxAge == 60)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age=-1", "max-age=a", "max-age=1a", "max-age=1.5", "max-age='1'", "max-age =60",
        "max-age= 60", "max-age=\"60", "max-age=60 70",
    ])
    func `with a max-age that cannot be understood is stale`(text: String) {
        #expect(read(text).maxAge == 0)
    }

    @Test func `uses the first of two numbers`() {
        #expect(read("max-age=1800, max-age=1").maxAge == 1800)
        #expect(read("max-age=1, max-age=1800").maxAge == 1)
    }

    @Test(arguments: ["2147483647", "2147483648", "99999999999", "99999999999999999999999999999999"])
    func `reads a number that is too large as 2^31`(text: String) {
        #expect(read("max-age=\(text)").maxAge ?? 0 >= 2_147_483_647)
        #expect(read("max-age=\(text)").maxAge ?? 0 <= 2_147_483_648)
    }

    @Test func `does not look into quoted strings`() {
        #expect(read("extension=\"max-age=3600, no-store\"").maxAge == nil)
        #expect(!read("extension=\"max-age=3600, no-store\"").noStore)
        #expect(read("extension=\"max-age=3600\", max-age=1").maxAge == 1)
    }

    @Test func `lists the fields that no-cache names`() {
        #expect(read("no-cache=\"Set-Cookie, A\"").noCacheFields == ["set-cookie", "a"])
        #expect(!read("no-cache=\"a\"").noCache)
        #expect(read("no-cache=a").noCacheFields == ["a"])
        #expect(read("no-cache").noCache)
    }

    @Test(arguments: ["no-cache=", "no-cache=\"\"", "no-cache=\"a", "no-cache=\" , \""])
    func `with a broken list counts for all`(text: String) {
        #expect(read(text).noCache)
    }

    @Test(arguments: ["no-store=1", "no-store x", "NO-STORE", "no-store =x"])
    func `restricts even when it is malformed`(text: String) {
        #expect(read(text).noStore)
    }

    @Test func `reads immutable with any argument`() {
        for text in ["immutable", "immutable=1", "immutable=\"x\", immutable"] { #expect(read(text).isImmutable) }
        #expect(!read("immutable x").isImmutable)
    }

    @Test(arguments: ["public=1", "immutable x", "must-understand=\"a\""])
    func `permits nothing when it is malformed`(text: String) {
        let directives = read(text)
        #expect(!directives.isPublic)
        #expect(!directives.isImmutable)
        #expect(!directives.mustUnderstand)
    }

    @Test func `reads what a request says`() {
        let directives = read("only-if-cached, max-stale, min-fresh=5, stale-if-error=7")
        #expect(directives.onlyIfCached)
        #expect(directives.maxStale == .any)
        #expect(directives.minFresh == 5)
        #expect(directives.staleIfError == 7)
        #expect(read("max-stale=9").maxStale == .seconds(9))
        // What permits does not count where it is malformed: not even what is stale for no time at all is wanted.
        #expect(read("max-stale=x").maxStale == nil)
        #expect(read("max-stale;no-store").maxStale == nil)
    }
}
