// InspectorTour: goes through the inspector's pages by clicks, reads what they show, and notes how long they took.
#if Server
import Foundation
import LarderFormat
import Testing

@testable import cachetool

/// A visitor of the pages: every page is reached by a link of the one before.
final class InspectorTour {
    let browser: Browser
    /// The milliseconds until each page had been received, by its name.
    private(set) var times: [String: [Double]] = [:]

    init(_ browser: Browser) { self.browser = browser }

    /// Clicks the first link with a text, within an element.
    func click(_ text: String, in selector: String = "main") async throws {
        let links = try await browser.run(
            "return [...document.querySelectorAll('\(selector) a')].map((a) => a.textContent)")
        let index = try #require((links as? [String])?.firstIndex(of: text), "no link '\(text)' in \(selector)")
        try await browser.run("document.querySelectorAll('\(selector) a')[\(index)].setAttribute('data-next', '')")
        try await browser.click(try await browser.find("[data-next]"))
        try await arrive()
    }

    /// Goes to a page by the navigation.
    func go(to page: InspectorPage) async throws {
        let name = try #require(InspectorPage.navigation.first { $0.page == page }?.name)
        try await click(name, in: "nav")
        #expect(try await browser.text("nav a[aria-current=page]") == name)
    }

    /// Waits for a page after a click, and checks what is the same on every page.
    func arrive() async throws {
        try await browser.wait(
            for:
                "document.readyState === 'complete' && !document.querySelector('[data-next]') && document.querySelector('h1')"
        )
        let state = try await browser.run(
            """
            const entry = performance.getEntriesByType("navigation")[0];
            const name = location.pathname.split("/").pop();
            return [name, String(entry.responseEnd - entry.requestStart), String(entry.responseStatus),
                String(document.documentElement.scrollWidth - innerWidth), document.querySelector("h1").textContent];
            """)
        let values = try #require(state as? [String])
        times[values[0].isEmpty ? "overview" : values[0], default: []].append(try #require(Double(values[1])))
        #expect(values[2] == "200", "\(values)")
        #expect(try #require(Int(values[3])) <= 0, "\(values) is wider than the window")
        #expect(!values[4].isEmpty)
        let lines = try await browser.console()
        #expect(lines.isEmpty, "\(lines)")
    }

    /// Returns the texts of one column of the tables of the page.
    func column(_ number: Int, of table: String = "main") async throws -> [String] {
        let script =
            "return [...document.querySelectorAll('\(table) tbody tr')].map((row) => row.cells[\(number)].textContent)"
        return try #require(try await browser.run(script) as? [String])
    }

    /// Goes back to the first part of a list.
    func goToFirst() async throws {
        if try await browser.run("return document.querySelectorAll('.paging a').length") as? Int != 0 {
            try await click("First", in: ".paging")
        }
    }

    /// Returns the texts of one column of a list, of all its parts from this page on.
    func wholeColumn(_ number: Int, of table: String = "main") async throws -> [String] {
        var all = try await column(number, of: table)
        var parts = 1
        // The last part has no link to a next one.
        while try await browser.run("return document.querySelectorAll('.paging a').length") as? Int == 2 {
            parts += 1
            try #require(parts < 100, "the list has no end")
            try await click("Next", in: ".paging")
            all += try await column(number, of: table)
        }
        return all
    }

    /// Returns the value of a fact of the page.
    func fact(_ name: String) async throws -> String {
        let script =
            "return [...document.querySelectorAll('dl.facts div')].map((part) => [part.firstChild.textContent, part.lastChild.textContent])"
        let facts = try #require(try await browser.run(script) as? [[String]])
        return try #require(facts.first { $0[0] == name }, "no fact \(name) in \(facts)")[1]
    }

    /// A line for each page: how often it was shown, and the median and the longest time in milliseconds.
    var report: String {
        times.sorted { $0.key < $1.key }.map { page, times in
            let sorted = times.sorted()
            let figures = [sorted[(sorted.count - 1) / 2], sorted[sorted.count - 1]].map { String(format: "%.1f", $0) }
            return "\(page): \(times.count) shown, median \(figures[0]) ms, longest \(figures[1]) ms"
        }.joined(separator: "\n")
    }
}
#endif
