/// The name of a ring of points; each account has its own rings.
public struct BufferName: Hashable, Sendable {
    /// The app's name for the collected points, such as `locations`; at most ``Limits/buffer`` bytes when encoded.
    public let name: String
    /// The account under which the points are collected, the only one they are sent as; nil where there are no
    /// accounts.
    public let account: String?

    /// A ring of these names.
    public init(_ name: String, account: String? = nil) {
        self.name = name
        self.account = account
    }

    /// Whether both are the same, byte for byte.
    public static func == (left: BufferName, right: BufferName) -> Bool {
        switch (left.account, right.account) {
        case (nil, nil): left.name.equalsBytewise(right.name)
        case (let account?, let other?): account.equalsBytewise(other) && left.name.equalsBytewise(right.name)
        default: false
        }
    }

    /// Feeds the bytes that `==` compares to `hasher`.
    public func hash(into hasher: inout Hasher) {
        name.hashBytewise(into: &hasher)
        account?.hashBytewise(into: &hasher)
    }
}
