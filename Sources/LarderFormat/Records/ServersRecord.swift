/// The record `meta` ("servers"): the servers and the account whose content is in the store.
///
/// FORMAT.md, "meta". A server is the address or the name by which the app distinguishes its servers.
package struct ServersRecord: TupleRecord, Hashable, Sendable {
    /// The server of tokens, resources and their applied sequences.
    package var sync: String?
    /// The server that the entries of the outbox and the points of buffers are for.
    package var outbox: String?
    /// The server of keyed objects and their collections.
    package var objects: String?
    /// The account that rows, tokens and collections belong to; nil where all accounts share them.
    package var account: String?

    /// A record of no server.
    package init() {}

    package mutating func codeFields(_ coder: inout FieldCoder) {
        coder.text(&sync)
        coder.text(&outbox)
        coder.text(&objects)
        coder.trailing(&account)
    }

    /// The key, ("servers").
    package static var key: [UInt8] { TupleWriter.bytes { $0.append(text: "servers") } }
}
