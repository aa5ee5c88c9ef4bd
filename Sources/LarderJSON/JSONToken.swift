/// A token of a JSON text, as reported by ``JSONScanner``.
///
/// Colons and commas are checked and never reported. RFC 8259 §2.
package enum JSONToken: Sendable {
    /// A `{`.
    case objectBegin
    /// The `}` of the innermost object.
    case objectEnd
    /// A `[`.
    case arrayBegin
    /// The `]` of the innermost array.
    case arrayEnd
    /// A member's name, in ``JSONScanner/text``, escapes decoded.
    case name
    /// A string value, escapes decoded; in ``JSONScanner/text`` where values are captured.
    case string
    /// A number as it is spelled; in ``JSONScanner/text`` where values are captured.
    case number
    /// The literal `true`.
    case `true`
    /// The literal `false`.
    case `false`
    /// The literal `null`.
    case null
}
