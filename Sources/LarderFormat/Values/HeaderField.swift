/// A header field of a stored request or response.
public struct HeaderField: Hashable, Sendable {
    /// The name, in the spelling in which it was sent or received.
    public var name: String
    /// The value, byte for byte.
    public var value: [UInt8]

    /// A field of these parts.
    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

extension FieldCoder {
    /// Codes a list of header fields, as one element.
    mutating func list(_ fields: inout [HeaderField]) {
        list(&fields, of: HeaderField(name: "", value: [])) { coder, field in
            coder.text(&field.name)
            coder.bytes(&field.value)
        }
    }
}
