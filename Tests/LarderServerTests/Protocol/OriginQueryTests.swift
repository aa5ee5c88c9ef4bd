// Proves that the parameters of a sync query are parsed and validated.

import LarderServer
import Testing

@Suite struct `A sync query` {
    private func problem(_ query: String) -> OriginProblem? {
        do throws(OriginProblem) {
            _ = try OriginQuery(parsing: query)
            return nil
        } catch { return error }
    }

    @Test func `is read with or without percent-encoding`() throws {
        let filter = try #require(ContentFilter("tafsirs:*;translations:1,6"))
        for text in ["tafsirs:*;translations:1,6", "tafsirs%3A%2A%3btranslations%3A1%2C6"] {
            let query = try OriginQuery(parsing: "resources=\(text)&bootstrap=true&per_page=7")
            #expect(query == OriginQuery(.bootstrap(filter), pageSize: 7))
        }
    }

    @Test(arguments: ["0", "-1", "101", "1000000000000000000000", "ten", "", "1.5"])
    func `has a page size of 1 to 100`(size: String) {
        let problem = problem("resources=a:1&bootstrap=true&per_page=\(size)")
        #expect(problem?.status == 422)
        #expect(problem?.envelope == .sync(code: "invalid_per_page"))
    }

    @Test(arguments: ["bootstrap=true", "resources=&bootstrap=true", "resources=a&sync_token=x"])
    func `has a filter unless it has a cursor`(query: String) {
        #expect(problem(query) == .invalidResources)
    }

    @Test(arguments: [
        "resources=a:1", "resources=a:1&bootstrap=false", "resources=a:1&bootstrap=yes", "cursor=x&sync_token=y",
        "resources=a:1&bootstrap=true&sync_token=x", "cursor=x&bootstrap=true", "cursor=x&cursor=y",
        "resources=%zz&bootstrap=true", "resources=%ff&bootstrap=true", "resources=a:1&bootstrap=true%2",
    ]) func `is refused in the general way when it makes no sense`(query: String) {
        #expect(problem(query)?.status == 400)
        #expect(problem(query)?.envelope == .general(type: "invalid_request"))
    }

    @Test func `may hold parameters that mean nothing here`() {
        #expect(problem("cursor=x&language=en&flag") == nil)
    }
}
