internal import LarderFormat

/// Where the visible rows of a resource lie, and what their checksums begin with.
struct RowSource {
    let owner: ResourceKey
    let generation: Int64
    let seed: UInt64

    init(owner: ResourceKey, generation: Int64) {
        self.owner = owner
        self.generation = generation
        seed = Checksum.ownerSeed(owner)
    }

    init(owner: ResourceKey, generation: Int64, seed: UInt64) {
        self.owner = owner
        self.generation = generation
        self.seed = seed
    }

    /// Builds the key of a row after checking it against the budget of every table it may ever stand in.
    func appendKey(type: String, key: String, to buffer: inout KeyBuffer) throws(StoreError) {
        try encoding {
            try RowKeyCoding.checkBudget(resource: owner, type: type, key: key)
            try RowKeyCoding.append(generation: generation, type: type, key: key, to: &buffer)
        }
    }
}

/// Where all that is shown of a resource lies.
struct MergedSource {
    /// The server's rows; of generation 0, which never is, when there are none.
    var rows: RowSource
    /// Whether the resource has rows that are shown.
    var hasRows: Bool
    /// Whether local writes lie over them.
    var hasOverlays: Bool
}
