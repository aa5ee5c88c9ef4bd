internal import LarderFormat

/// The place of the visible rows of a resource, and the seed of their checksums.
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

    /// Appends the key of a row, after checking it against the budget of every table that may ever hold it.
    func appendKey(type: String, key: String, to buffer: inout KeyBuffer) throws(StoreError) {
        try encoding {
            try RowKeyCoding.checkBudget(resource: owner, type: type, key: key)
            try RowKeyCoding.append(generation: generation, type: type, key: key, to: &buffer)
        }
    }
}

/// The place of everything that is shown of a resource.
struct ShownSource {
    /// The server's rows; those of generation 0, which never exists, when there are none.
    var rows: RowSource
    /// Whether the resource has rows that are shown.
    var hasRows: Bool
    /// Whether the resource has overlays.
    var hasOverlays: Bool
}
