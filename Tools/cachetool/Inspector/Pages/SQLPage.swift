import ArgumentParser
import LarderFormat
import LarderQuery
import LarderStore

/// A box for SELECT statements over rows, with the plan of each.
enum SQLPage {
    /// The most rows of a result that are shown.
    private static let limit = 500
    /// The steps that a statement may take: a page ends within seconds, whatever it asks for.
    private static let steps = 5_000_000

    static func content(_ context: PageContext) throws -> (PageContent, commit: UInt64) {
        let (suggestion, commit) = try context.store.read { view -> (String?, UInt64) in
            (try Self.suggestion(context, view), view.commit)
        }
        let tables = context.query.filled("tables") ?? suggestion ?? ""
        let statement = context.query.filled("statement") ?? (suggestion == nil ? "" : "SELECT * FROM rows LIMIT 100")
        let checked: HTML = context.query["explain"] == nil ? "" : " checked"
        let answer: HTML = context.query.filled("statement") == nil ? hint : result(tables, statement, context)
        let body: HTML = """
            <form action="./query" class="sql">
            <label for="tables">Tables, one in a line: NAME=GROUP[/ID]:TYPE:COLUMN,…</label>
            <textarea id="tables" name="tables" rows="3" spellcheck="false">\(lines: tables)</textarea>
            <label for="statement">Statement: SELECT, in SQLite's syntax</label>
            <textarea id="statement" name="statement" rows="4" spellcheck="false">\(lines: statement)</textarea>
            <p><button>Run</button> <label><input type="checkbox" name="explain" value="1"\(checked)> explain only</label></p>
            </form>
            \(answer)
            """
        return (PageContent(title: "SQL", body: body), commit)
    }

    private static let hint: HTML = """
        <p class="hint">Every table also has the columns key, updated_at, payload, resource_group and resource_id. A resource's \
        page has a link that fills in its table.</p>
        """

    /// Returns the table of the resource that the query names, with the members of its first row as columns.
    private static func suggestion(_ context: PageContext, _ view: borrowing ReadView) throws -> String? {
        guard context.query["suggest"] != nil, let key = try? context.resource() else { return nil }
        var found: String?
        try view.forEachRow(in: .all(of: key), limit: 1) { entry in
            let type = try entry.key().type
            guard let value = try? JSON([UInt8](copying: entry.row.payload)), case .object(let members) = value else {
                return
            }
            let columns = members.map(\.name).filter { name in
                name.wholeMatch(of: /[A-Za-z_][A-Za-z_0-9]*/) != nil
            }
            found = "rows=\(key.group)/\(key.id):\(type):\(columns.prefix(12).joined(separator: ","))"
        }
        return found ?? "rows=\(key.group)/\(key.id):TYPE:"
    }

    private static func result(_ tables: String, _ statement: String, _ context: PageContext) -> HTML {
        do {
            let definitions = try tables.split(whereSeparator: \.isNewline).map { line in
                guard let table = TableArgument(argument: line.trimmed()) else {
                    throw ToolError.usage("A table is NAME=GROUP[/ID]:TYPE:COLUMN,…, and not \(line).")
                }
                return try table.definition()
            }
            let query = try StoreQuery(
                context.store, tables: definitions, options: QueryOptions(stepLimit: steps, valueLimit: 1 << 20))
            let plan = try query.explain(statement).map { step -> [HTML] in ["\(step)"] }
            let explanation = HTML.table("How the rows are found", [.text("Step")], plan)
            if context.query["explain"] != nil { return explanation }
            // A result is held as a whole, so no more of it is requested than is shown.
            let end = statement.lastIndex { !$0.isWhitespace && $0 != ";" } ?? statement.startIndex
            let found = try query.rows("SELECT * FROM (\(statement[...end])\n) LIMIT \(limit + 1)")
            let rows = found.rows.prefix(limit).map { row in row.values.map { value -> HTML in "\(text(value))" } }
            let count = found.rows.count > limit ? "More than \(limit) rows" : countText(found.rows.count, "row")
            return """
                <p>\(count). \(found.facts.description)</p>
                \(HTML.table("Result", found.columns.map { .text($0) }, rows, empty: "No row fits."))
                \(explanation)
                """
        } catch {
            return "<p role=\"alert\" class=\"bad\">\(String(describing: error))</p>"
        }
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): text.count > 500 ? text.prefix(500) + "…" : text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}

extension Substring {
    fileprivate func trimmed() -> String { drop(while: \.isWhitespace).description.replacing(/\s+$/, with: "") }
}
