import Foundation
import LarderFormat
import LarderStore

/// The pages of the inspector, by the last part of their path.
enum InspectorPage: String, CaseIterable, Sendable {
    case overview = ""
    case resources, resource, row, changes
    case sync, outbox, write, responses, response, collections
    case activity, space, query, problems

    /// The pages that the navigation shows, in its order, with their names there.
    static let navigation: [(page: InspectorPage, name: String)] = [
        (.overview, "Overview"), (.resources, "Resources"), (.changes, "Changes"), (.sync, "Sync"),
        (.outbox, "Outbox"), (.responses, "HTTP"), (.collections, "Collections"), (.activity, "Activity"),
        (.space, "Space"), (.query, "SQL"), (.problems, "Problems"),
    ]

    /// The page of the navigation that this one belongs to.
    var section: InspectorPage {
        switch self {
        case .resource, .row: .resources
        case .write: .outbox
        case .response: .responses
        default: self
        }
    }

    /// Returns the content of the page, and the commit that it shows.
    ///
    /// - Throws: ``ToolError`` for something that the store does not hold; errors of the store.
    func content(_ context: PageContext) throws -> (PageContent, commit: UInt64) {
        func reading(
            _ page: (PageContext, borrowing ReadView) throws -> PageContent
        ) throws -> (PageContent, commit: UInt64) {
            try context.store.read { view in (try page(context, view), view.commit) }
        }
        return switch self {
        case .overview: try OverviewPage.content(context)
        case .resources: try reading(ResourcesPage.content)
        case .resource: try reading(ResourcePage.content)
        case .row: try reading(RowPage.content)
        case .changes: try reading(ChangesPage.content)
        case .sync: try reading(SyncPage.content)
        case .outbox: try reading(OutboxPage.content)
        case .write: try reading(WritePage.content)
        case .responses: try reading(ResponsesPage.content)
        case .response: try reading(ResponsePage.content)
        case .collections: try reading(CollectionsPage.content)
        case .activity: try reading(ActivityPage.content)
        case .space: try SpacePage.content(context)
        case .query: try SQLPage.content(context)
        case .problems: try ProblemsPage.content(context)
        }
    }
}

/// The store and the request that a page is made from.
struct PageContext: Sendable {
    let store: Store
    /// The directory of the store.
    let path: String
    let query: FormValues
    /// The present time, in milliseconds since 1970-01-01 UTC.
    let now: Int64
    let timeZone: TimeZone
    let allowsChanges: Bool
    /// What the store is a diagnostic copy of; nil for a store itself.
    var diagnostics: DiagnosticsRecord?

    /// Pages show content as it is.
    let redactor = Redactor(isOn: false, store: .zero)

    /// Returns the resource that the query names.
    func resource() throws(ToolError) -> ResourceKey {
        guard let group = query["group"], let id = query["id"].flatMap({ Int64($0) }) else {
            throw .usage("The address names no resource.")
        }
        return ResourceKey(group, id)
    }

    /// Returns the row that the query names.
    func row() throws(ToolError) -> RowKey {
        let resource = try resource()
        guard let type = query["type"], let key = query["key"] else { throw .usage("The address names no row.") }
        return RowKey(resource: resource, type: type, key: key)
    }
}

/// The part of a page that is its own.
struct PageContent: Hashable, Sendable {
    /// The heading and the title.
    var title: String
    /// Everything below the heading.
    var body: HTML
}

/// The parts that all pages have around their content.
struct PageFrame: Sendable {
    /// The page; nil for an error.
    let page: InspectorPage?
    /// The directory of the store.
    let store: String
    /// What the pages may do with the store.
    let mode: String

    /// Returns a whole page.
    ///
    /// - Parameter commit: the commit that it shows; the script shows the page anew when there is another.
    func html(_ content: PageContent, commit: UInt64?) -> HTML {
        let links = InspectorPage.navigation.map { page, name -> HTML in
            let current: HTML = page == self.page?.section ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(InspectorLink(page).target)\"\(current)>\(name)</a></li>"
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(content.title) – \(store)</title>
            <link rel="stylesheet" href="./style.css">
            <link rel="icon" href="./icon.svg">
            <script src="./script.js" defer></script>
            </head>
            <body>
            <a class="skip" href="#content">Skip to the content</a>
            <header>
            <p class="store"><strong>Larder</strong> <span class="path">\(store)</span> <span class="mode">\(mode)</span></p>
            <nav aria-label="Pages"><ul>\(links)</ul></nav>
            </header>
            <main id="content" tabindex="-1" data-commit="\(commit.map { String($0) } ?? "")">
            <h1>\(content.title)</h1>
            \(content.body)
            </main>
            <footer><p>\(commit.map { "Commit \($0)" } ?? "") <span id="live" role="status"></span></p></footer>
            </body>
            </html>
            """
    }
}
