// Proves that cachetool answers statements and word searches over a store, prints values whole or redacted, and writes nothing.

import Foundation
import Testing

@Suite struct `Querying a store` {
    private static let table = "verses=translations/19:translation:verse,v=$.verse"

    private func sql(_ sample: SampleStore, _ statement: String, _ options: String...) throws -> Outcome {
        try Tool.run(Tool.path, ["sql", sample.path, statement, "--table", Self.table] + options)
    }

    @Test func `sql prints the rows of a statement`() async throws {
        let sample = try await SampleStore()
        let text = try sql(sample, "SELECT key, verse, verse / 2.0, NULL FROM verses WHERE v < 3 ORDER BY verse DESC")
        #expect(text.status == 0)
        #expect(text.lines == ["2\t2\t1.0\tNULL", "1\t1\t0.5\tNULL"])
        let json = try sql(sample, "SELECT count(*) AS n, max(verse) / 8.0 AS r FROM verses", "--json")
        #expect(json.lines == [#"{"n":300,"r":37.5}"#])
        let redacted = try sql(sample, "SELECT payload FROM verses WHERE key = 7", "--redact")
        #expect(redacted.lines.count == 1)
        #expect(!redacted.text.contains("verse"))
        let plan = try sql(sample, "SELECT verse FROM verses WHERE key = 7", "--explain")
        #expect(plan.text.contains("looks rows up by their key"))
        let facts = try sql(sample, "SELECT verse FROM verses WHERE key = 7", "--facts")
        #expect(facts.lines == ["7"])
        #expect(facts.errorOutput == "verses by key; 1 rows, 0 entries read\n")
        #expect(!FileManager.default.fileExists(atPath: sample.path + "/search.sqlite"))
    }

    @Test func `sql joins a group's rows with the members of collections`() async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run(
            "sql", sample.path, "SELECT v.key FROM collection_members m JOIN v ON v.key = m.key ORDER BY m.position",
            "--table", "v=translations:translation:verse")
        #expect(outcome.lines == ["7", "3", "7"])
    }

    @Test(arguments: ["DELETE FROM verses", "SELECT nothing FROM verses", "SELECT 1 FROM others", "SELECT"])
    func `sql refuses what is no query of its tables, with status 64`(statement: String) async throws {
        let sample = try await SampleStore()
        let outcome = try sql(sample, statement)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }

    @Test func `search prints rows with the words, or ends with 1`() async throws {
        let sample = try await SampleStore()
        let outcome = try Tool.run("search", sample.path, "17", "--table", Self.table)
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 1)
        #expect(outcome.lines[0].hasPrefix("translations/19\t17\t"))
        let json = try Tool.run("search", sample.path, "17", "--table", Self.table, "--json").objects()
        #expect(json[0]["key"] as? String == "17")
        let facts = try Tool.run("search", sample.path, "17", "--table", Self.table, "--facts")
        #expect(facts.lines == outcome.lines)
        #expect(
            facts.errorOutput.contains(
                "verses by words, in the wanted order; 301 rows, 0 entries read, words of 300 rows indexed"))
        #expect(try Tool.run("search", sample.path, "nowhere", "--table", Self.table).status == 1)
        #expect(try Tool.run("search", sample.path, "17", "--table", "t=g:t:").status == 64)
        #expect(!FileManager.default.fileExists(atPath: sample.path + "/search.sqlite"))
    }
}
