// Proves that the inspector's pages work in a real browser: by clicks, by keyboard, live, and against hostile content.
#if Server
import Foundation
import LarderFormat
import LarderStore
import Testing

@testable import cachetool

@Suite(.serialized, .enabled(if: Browser.isInstalled, "chromium-driver is not installed: Tools/setup installs it"))
struct `The inspector in a browser` {
    /// Calls `body` with a browser that shows the first page of an inspector.
    private func browse(
        allowsChanges: Bool = false,
        _ body: (_ browser: Browser, _ inspected: InspectedStore, _ address: String) async throws -> Void
    ) async throws {
        let inspected = try await InspectedStore(allowsChanges: allowsChanges)
        let server = InspectorServer { port in
            Inspector(
                store: inspected.store, path: inspected.sample.path, token: "secret", port: port,
                allowsChanges: allowsChanges)
        }
        let browser = try await Browser()
        do {
            try await server.serve(port: 0) { address in
                try await browser.open(address)
                try await body(browser, inspected, address)
                let lines = try await browser.console()
                #expect(lines.isEmpty, "\(lines)")
            }
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
    }

    @Test func `has every page behind a click, and counts as the store does`() async throws {
        try await browse { browser, inspected, _ in
            for (_, name) in InspectorPage.navigation {
                try await browser.click(link: name)
                try await browser.wait(
                    for: "document.querySelector('nav a[aria-current=page]')?.textContent === '\(name)'")
                #expect(!(try await browser.text("main h1")).isEmpty)
                let overflow = try await browser.run("return document.documentElement.scrollWidth - innerWidth") as? Int
                #expect((overflow ?? 1) <= 0, "\(name) is wider than the window")
            }
            try await browser.click(link: "Resources")
            let rows =
                try await browser.run(
                    """
                    return [...document.querySelectorAll("main tbody tr")].map((row) => [row.cells[0].textContent, \
                    row.cells[2].textContent].join(" "))
                    """) as? [String]
            let stored = try inspected.store.read { view in
                try view.allResources().map { "\($0.key.group)/\($0.key.id) \($0.rowCount)" }
            }
            #expect(rows == stored)
            try await browser.click(link: "translations/19")
            try await browser.click(link: "Next")
            try await browser.click(link: "translation 150")
            #expect(try await browser.text("main pre").contains("\"verse\": 150"))
        }
    }

    @Test func `shows what an app writes meanwhile, without a click`() async throws {
        try await browse { browser, inspected, address in
            try await browser.open(address + "resource?group=notes&id=1")
            try await inspected.store.write { transaction in
                try transaction.put(
                    bytes("{\"text\":\"fresh\"}").rawSpan,
                    at: RowKey(resource: ResourceKey("notes", 1), type: "note", key: "live"), updatedAt: 1)
            }
            try await browser.wait(for: "document.querySelector('main').textContent.includes('note live')")
            let commit = try inspected.store.read { view in view.commit }
            try await browser.wait(for: "document.querySelector('footer').textContent.includes('Commit \(commit)')")
        }
    }

    @Test func `works by keyboard alone`() async throws {
        let (tab, enter) = ("\u{E004}", "\u{E007}")
        try await browse(allowsChanges: true) { browser, inspected, address in
            try await browser.press(tab)
            #expect(try await browser.run("return document.activeElement.className") as? String == "skip")
            try await browser.press(enter)
            #expect(try await browser.run("return document.activeElement.id") as? String == "content")
            try await browser.open(address + "outbox")
            var presses = 0
            while try await browser.run("return document.activeElement?.textContent") as? String != "Retry" {
                presses += 1
                try #require(presses < 60, "no button is reached by Tab")
                try await browser.press(tab)
            }
            try await browser.press(enter)
            try await browser.wait(for: "document.querySelector('main')?.textContent.includes('Failed;') === false")
            let entry = try inspected.store.read { view in try view.outboxEntry(InspectedStore.failed) }
            #expect(entry?.delivery.state == .pending)
        }
    }

    @Test func `runs nothing that a row contains`() async throws {
        try await browse { browser, _, address in
            let row = RowKey(
                resource: ResourceKey("notes", 1), type: InspectedStore.hostile, key: InspectedStore.hostile)
            try await browser.open(address + InspectorLink(.row, InspectorLink.values(of: row)).target.dropFirst(2))
            #expect(try await browser.text("main").contains("<script>alert"))
            #expect(try await browser.run("return document.querySelectorAll('main script').length") as? Int == 0)
            // Even markup that got in would not run: the policy forbids it.
            try await browser.run("document.querySelector('main').innerHTML = '<img src=x onerror=\"window.ran = 1\">'")
            try await Task.sleep(for: .milliseconds(300))
            #expect(try await browser.run("return window.ran === undefined") as? Bool == true)
            let refusals = try await browser.console()
            #expect(refusals.contains { $0.contains("Content Security Policy") })
        }
    }

    @Test func `gives nothing to a page of another origin`() async throws {
        try await browse { browser, _, address in
            let sample = try await SampleStore()
            let foreign = try sample.open()
            defer { try? foreign.close() }
            let other = InspectorServer { port in
                Inspector(store: foreign, path: sample.path, token: "other", port: port, allowsChanges: false)
            }
            try await other.serve(port: 0) { elsewhere in
                try await browser.open(elsewhere + "script.js")
                let outcome = try await browser.runLong(
                    """
                    Promise.all(["", "resources", "commit"].map((page) => fetch("\(address)" + page)
                      .then(() => "read", () => "refused"))).then((all) => done(all.join(" ")));
                    """)
                #expect(outcome as? String == "refused refused refused")
                _ = try await browser.console()
            }
        }
    }
}
#endif
