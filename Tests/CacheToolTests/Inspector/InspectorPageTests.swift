// Proves that every page of the inspector shows what the store holds, and leads to every other.
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

@Suite struct `The inspector's pages` {
    @Test func `show what the store holds`() async throws {
        let inspected = try await InspectedStore()
        let verses = InspectorLink.values(of: SampleStore.verses)
        let expected: [(InspectorPage, [(String, String?)], [String])] = [
            (.overview, [], ["translations:19", "304", "Never synced", "Writes not accepted"]),
            (.resources, [], ["translations/19", "tafsirs/3", "notes/1", "not yet"]),
            (.resource, verses, ["translations:19", "translation 97<", "4711", "about intro\\ttab"]),
            (.resource, verses + [("of", "translation"), ("prefix", "30")], ["translation 30<", "translation 300<"]),
            (
                .sync, [("filter", "translations:19")],
                [
                    "Filter translations:19", "303", "3 runs found nothing new", "1 run changed 303 rows",
                    "2 runs failed: 503 &lt;",
                ]
            ),
            (.outbox, [], ["Lane verses", "Lane bookmarks", "Failed;", "/verses/7", "expired"]),
            (
                .write, [("id", InspectedStore.failed.description)],
                ["translation 7", "&quot;verse&quot;: 77", "/verses/7"]
            ),
            (.responses, [], ["https://hush.test/", "40 KB", "stale since"]),
            (.collections, [], ["number &lt; 8", "neighbours"]),
            (
                .activity, [],
                ["was <strong>accepted</strong>", "of lane", "the server changed", "3 runs found nothing new"]
            ),
            (.space, [], ["rows", "Overflow pages", "Slots for readers"]),
            (.problems, [], ["broken", "To do"]),
            (.changes, [("days", "30")], ["notes/1"]),
        ]
        for (page, values, texts) in expected {
            let response = inspected.get(page, values)
            #expect(response.status == 200, "\(page): \(response.text.suffix(600))")
            for text in texts { #expect(response.text.contains(text), "\(page) lacks \(text)") }
        }
    }

    @Test func `show a row as the server sent it, as it is read, and why it is here`() async throws {
        let inspected = try await InspectedStore()
        let row = RowKey(resource: SampleStore.verses, type: "translation", key: "7")
        let text = inspected.get(.row, InspectorLink.values(of: row)).text
        #expect(
            text.contains("<mark>  &quot;verse&quot;: 77</mark>")
                && text.contains("<mark>  &quot;verse&quot;: 7</mark>"))
        #expect(text.contains("From the server") && text.contains("not accepted yet"))
        #expect(text.contains("Filters that brought it") && text.contains("translations:19"))
        #expect(text.contains("Collections that hold it"))
    }

    @Test func `show the body of a response: JSON by its members, other bytes as numbers`() async throws {
        let inspected = try await InspectedStore()
        let pages = inspected.get(.responses).text.matches(of: /href="\.\/(response\?[^"]*)"/).map { match in
            inspected.get(String(match.1.replacing("&amp;", with: "&"))).text
        }
        #expect(pages.count == 2)
        #expect(pages.contains { $0.contains("&quot;by&quot;: &quot;ada&quot;") && $0.contains("&lt;script&gt;") })
        #expect(pages.contains { $0.contains("40000 bytes that are no text") && $0.contains("61 61 61") })
        #expect(pages.allSatisfy { !$0.contains("<script>alert") })
    }

    @Test func `page through rows of all types without leaving one out`() async throws {
        let inspected = try await InspectedStore()
        var target = InspectorLink(.resource, InspectorLink.values(of: SampleStore.verses)).target
        var found: Set<String> = []
        for _ in 0..<10 {
            let text = inspected.get(String(target.dropFirst(2))).text
            for match in text.matches(of: /<th scope="row"><a href="\.\/row\?([^"]*)"/) {
                found.insert(String(match.1))
            }
            guard let next = text.firstMatch(of: /<a href="([^"]*)">Next</) else { break }
            target = String(next.1).replacing("&amp;", with: "&")
        }
        #expect(found.count == 303)
        let behind = inspected.get(
            .resource,
            InspectorLink.values(of: SampleStore.verses) + [("afterType", "about"), ("after", "intro\ttab")]
        ).text
        #expect(!behind.contains("about intro") && behind.contains("raw big") && behind.contains("translation 1<"))
    }

    @Test func `link only to pages that exist`() async throws {
        let inspected = try await InspectedStore(allowsChanges: true)
        var seen: Set<String> = ["."]
        var queue = ["."]
        var visited = 0
        while let target = queue.popLast(), visited < 600 {
            visited += 1
            let path =
                target == "." || target.hasPrefix(".?") ? String(target.dropFirst()) : String(target.dropFirst(2))
            let response = inspected.get(path)
            #expect(response.status == 200, "\(target)")
            for match in response.text.matches(of: /href="(\.[^"#]*)"/) {
                let link = String(match.1).replacing("&amp;", with: "&").replacing("&#39;", with: "'")
                // Rows differ by their keys alone.
                let kind = link.contains("type=translation&") || link.contains("after=") ? "rows" : link
                if seen.insert(kind).inserted { queue.append(link) }
            }
        }
        #expect(visited > 40)
    }

    @Test func `say that a row is damaged, and show the others`() async throws {
        let inspected = try await InspectedStore()
        try inspected.sample.damage(row: "9")
        let values = InspectorLink.values(of: SampleStore.verses) + [("type", "translation")]
        let damaged = inspected.get(.row, values + [("key", "9")])
        #expect(damaged.status == 500 && damaged.text.contains("damaged"))
        #expect(inspected.get(.row, values + [("key", "8")]).status == 200)
        #expect(inspected.get(.overview).status == 200)
    }

    @Test func `say that a filter is damaged, and show the others`() async throws {
        let inspected = try await InspectedStore()
        try await inspected.store.write { transaction in
            let number = try transaction.updateFilter("notes:1") { $0.token = "bm90ZXM" }
            try transaction.putMember(ofFilter: number, ResourceKey("notes", 1), MemberRecord(listedInRun: 1))
        }
        try flip("c2VjcmV0", inStore: inspected.sample.path)
        let notes = InspectorLink.values(of: ResourceKey("notes", 1))
        for (page, values) in [(InspectorPage.overview, []), (.sync, []), (.resource, notes)] {
            let response = inspected.get(page, values)
            #expect(
                response.status == 200 && response.text.contains("notes:1"), "\(page): \(response.text.suffix(600))")
            #expect(response.text.contains("Not listed, because a record is damaged: filter number 1."), "\(page)")
        }
        #expect(inspected.get(.activity).text.contains("Not listed, because a record is damaged: filter number 1."))
        #expect(inspected.get(.problems).text.contains("A record of filter number 1 is damaged."))
    }

    @Test func `say that a resource is damaged, and show the others`() async throws {
        let inspected = try await InspectedStore()
        try flip("/api/v4/snapshots/translations/19", inStore: inspected.sample.path)
        for page in [InspectorPage.resources, .activity, .changes] {
            let response = inspected.get(page, [("days", "30")])
            #expect(response.status == 200 && response.text.contains("notes/1"), "\(page): \(response.text.suffix(99))")
            #expect(response.text.contains("1 resource with a damaged record is not listed"), "\(page)")
        }
        let overview = inspected.get(.overview)
        #expect(overview.status == 200 && overview.text.contains("The store cannot be counted"))
        #expect(overview.text.contains("translations:19"))
    }

    @Test func `show the beginning of a list that has become shorter`() async throws {
        let inspected = try await InspectedStore()
        #expect(inspected.get(.resources, [("from", "200")]).text.contains("notes/1"))
        #expect(inspected.get(.outbox, [("from", "300")]).text.contains("Lane verses"))
    }

    @Test func `show the state of a session, and none of its values`() async throws {
        let text = try await InspectedStore().get(.outbox).text
        #expect(text.contains("Session: expired, account hush.") && !text.contains("115, 101"))
    }

    @Test func `end a statement that goes on for ever`() async throws {
        let inspected = try await InspectedStore()
        let statement = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
        let tables = "verses=translations/19:translation:verse"
        let text = inspected.get(.query, [("tables", tables), ("statement", statement)]).text
        #expect(text.contains("The query ran more than 5000000 steps."))
    }

    @Test func `run a statement, and explain how`() async throws {
        let inspected = try await InspectedStore()
        let tables = "verses=translations/19:translation:verse"
        let found = inspected.get(
            .query, [("tables", tables), ("statement", "SELECT verse FROM verses WHERE verse BETWEEN 299 AND 300")])
        #expect(
            found.text.contains("2 rows") && found.text.contains("299") && found.text.contains("How the rows are found")
        )
        let many = inspected.get(
            .query, [("tables", tables), ("statement", "SELECT a.verse FROM verses a, verses b -- all ;\n ; ")])
        #expect(many.text.contains("More than 500 rows"))
        let wrong = inspected.get(.query, [("tables", tables), ("statement", "DELETE FROM verses")])
        #expect(wrong.status == 200 && wrong.text.contains("role=\"alert\""))
        let suggested = inspected.get(.query, InspectorLink.values(of: SampleStore.verses) + [("suggest", "1")])
        #expect(suggested.text.contains("rows=translations/19:about:by"))
    }

    @Test func `say what is not there, and that with the status`() async throws {
        let inspected = try await InspectedStore()
        let gone = inspected.get(.row, [("group", "a"), ("id", "1"), ("type", "b"), ("key", "c")])
        #expect(gone.status == 404 && gone.text.contains("The store has no resource a/1."))
        #expect(inspected.get(.row, [("group", "a")]).status == 400)
        #expect(inspected.get("nothing").status == 404)
        let long = inspected.get(.resource, [("group", String(repeating: "a", count: 10_000)), ("id", "1")])
        #expect(long.status == 400 && long.text.contains("The address names what no store holds"))
        #expect(inspected.get(.write, [("id", UUIDBytes(high: 7, low: 7).description)]).status == 404)
        #expect(inspected.get("commit").text == String(try inspected.store.read { view in view.commit }))
    }
}
