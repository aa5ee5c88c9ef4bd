/// The record `meta` ("diagnostics"): the store that a diagnostic copy is of.
///
/// FORMAT.md, "meta".
package struct DiagnosticsRecord: TupleRecord, Hashable, Sendable {
    /// The size of a table of the store.
    package struct Table: Hashable, Sendable {
        package var name: String
        package var entries: Int
        package var pages: Int

        /// A size of these parts.
        package init(name: String, entries: Int, pages: Int) {
            self.name = name
            self.entries = entries
            self.pages = pages
        }
    }

    /// A line about the state of the app, for people.
    package struct Fact: Hashable, Sendable {
        package var name: String
        package var value: String

        /// A line of these parts.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// When the copy was made, in milliseconds since 1970-01-01 UTC.
    package var time: Int64 = 0
    /// The size of the store's file, in bytes.
    package var fileSize: Int64 = 0
    /// The highest page of that file in use.
    package var lastPage = 0
    /// The sizes of the store's tables.
    package var tables: [Table] = []
    /// The state of the app.
    package var facts: [Fact] = []

    package init() {}

    /// The highest page number, so that sizes of pages can be added up.
    private static let pageLimit = 1 << 40
    private static let sizeLimit: Int64 = 1 << 56

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.integer(&time)
        coder.count("fileSize", &fileSize)
        coder.require(fileSize <= Self.sizeLimit, "fileSize", fileSize)
        coder.count("lastPage", &lastPage)
        coder.require(lastPage <= Self.pageLimit, "lastPage", Int64(lastPage))
        coder.list(&tables, of: Table(name: "", entries: 0, pages: 0)) { coder, table in
            coder.text(&table.name)
            coder.count("entries", &table.entries)
            coder.require(table.entries <= Self.sizeLimit, "entries", Int64(table.entries))
            coder.count("pages", &table.pages)
            coder.require(table.pages <= Self.pageLimit, "pages", Int64(table.pages))
        }
        coder.list(&facts, of: Fact(name: "", value: "")) { coder, fact in
            coder.text(&fact.name)
            coder.text(&fact.value)
        }
    }

    /// The key, ("diagnostics").
    package static let key = TupleWriter.bytes { $0.append(text: "diagnostics") }
}
