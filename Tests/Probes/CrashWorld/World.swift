// World: a server's history in which command number n is a function of the seed and n alone.

public import LarderFormat
public import LarderServer

/// A server's history: command number *n* is a function of the seed and *n* alone.
///
/// Whoever plays the same number of commands has the same server, with the same numbers of changes and the same tokens.
/// The rows of replacements that later ones hide need not be made for that.
public struct World: Sendable {
    /// One resource and how many rows its snapshots have.
    public struct Content: Sendable {
        /// The resource.
        public let key: ResourceKey
        /// The type of its rows.
        public let type: String
        /// Rows after a replacement, numbered from 1.
        public let count: Int
    }

    /// The resources there are.
    public static let contents = [
        Content(key: ResourceKey("translations", 1), type: "translation", count: 20_000),
        Content(key: ResourceKey("translations", 2), type: "translation", count: 1200),
        Content(key: ResourceKey("translations", 3), type: "translation", count: 60),
        Content(key: ResourceKey("tafsirs", 1), type: "tafsir", count: 400),
        Content(key: ResourceKey("tafsirs", 2), type: "tafsir", count: 40),
    ]

    /// The filters that clients sync; they overlap.
    public static let filters = ["translations:*", "tafsirs:*;translations:1,3"]

    /// The server. Without its rows where only its numbers are asked for.
    public let origin: Origin
    /// What a client has to see after each change.
    public private(set) var model = WorldModel()
    /// How many commands have been played.
    public private(set) var played = 0

    private let seed: UInt64
    private let hasRows: Bool

    /// A world in which `commands` commands have been played.
    ///
    /// - Parameter hasRows: whether snapshots have their rows; without, only the model and the numbers are right.
    public init(seed: UInt64, commands: Int, hasRows: Bool) throws {
        self.seed = seed
        self.hasRows = hasRows
        origin = Origin(
            secret: TokenSecret(seed, 1), changeLimit: 1_000_000, now: { 1_700_000_000_000 })
        var last: [ResourceKey: Int] = [:]
        var plan = WorldModel()
        for number in 0..<commands {
            let command = Self.command(number, seed: seed, after: plan)
            if let resource = command.replaced { last[resource] = number }
            plan.record(command, number: number, sequence: Int64(number + 1))
        }
        for number in 0..<commands {
            let command = Self.command(number, seed: seed, after: model)
            try apply(command, isWhole: hasRows && command.replaced.flatMap { last[$0] } == number)
        }
    }

    /// Plays the next command.
    public mutating func step() throws {
        try apply(Self.command(played, seed: seed, after: model), isWhole: hasRows)
    }

    private mutating func apply(_ command: WorldCommand, isWhole: Bool) throws {
        let number = played
        played += 1
        let sequence = try command.apply(to: origin, number: number, isWhole: isWhole)
        model.record(command, number: number, sequence: sequence)
    }

    private static func command(_ number: Int, seed: UInt64, after model: WorldModel) -> WorldCommand {
        if number < contents.count { return .create(contents[number]) }
        var random = SplitMix64(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
        let kind = Int.random(in: 0..<100, using: &random)
        let content = contents[kind < 20 ? 0 : Int.random(in: 0..<contents.count, using: &random)]
        if model.isHidden(content.key) { return .publish(content) }
        switch kind {
        case 0..<35: return .replace(content)
        case 35..<40: return .hide(content)
        case 40..<45: return .touch(content)
        case 45..<52: return .invalidateTokens
        case 52..<65: return .delete(content, key: Int.random(in: 1...WorldCommand.deletableKeys, using: &random))
        default: return .put(content, key: Int.random(in: 1...(content.count + 20), using: &random))
        }
    }
}
