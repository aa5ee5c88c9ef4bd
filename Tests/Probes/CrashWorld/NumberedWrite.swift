// NumberedWrite: one of the writes that a writer makes: their numbers go up by one, within a lane too.

/// One of the writes that a writer makes: their numbers go up by one, within a lane too.
public struct NumberedWrite: Hashable, Sendable {
    /// How many lanes there are.
    public static let lanes = 6

    /// Its number, from 0.
    public let number: Int

    /// The write of a number.
    public init(_ number: Int) { self.number = number }

    /// The lane it goes through.
    public var lane: Int { number % Self.lanes }

    /// What is sent.
    public var body: [UInt8] { Array("{\"number\":\(number)}".utf8) }

    /// Reads what was sent.
    public init?(body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        guard text.hasPrefix("{\"number\":"), text.hasSuffix("}"), let number = Int(text.dropFirst(10).dropLast())
        else { return nil }
        self.number = number
    }
}
