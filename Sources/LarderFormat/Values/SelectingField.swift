/// A field of the request by which a stored response is selected, as its `Vary` lists them. RFC 9111 §4.1.
public struct SelectingField: Hashable, Sendable {
    /// The name, in lower case.
    public var name: String
    /// The request's combined and normalised value; nil when it had no such field.
    public var value: String?

    /// A selecting field of these parts.
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    /// Whether both are encoded to the same bytes.
    public static func == (left: SelectingField, right: SelectingField) -> Bool {
        left.name.equalsBytewise(right.name)
            && left.value.map { Array($0.utf8) } == right.value.map { Array($0.utf8) }
    }

    /// Feeds the parts that `==` compares to `hasher`.
    public func hash(into hasher: inout Hasher) {
        name.hashBytewise(into: &hasher)
        value?.hashBytewise(into: &hasher)
    }
}
