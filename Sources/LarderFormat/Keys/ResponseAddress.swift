/// The place of a response in the table `responses`.
///
/// FORMAT.md, "responses". A cache key may be longer than a key of the table. Its beginning is in front, so that cache
/// keys with one beginning are adjacent, and its hash distinguishes most of the others. The record itself has the
/// whole cache key, which is compared on every use. In a sealed store the beginning is empty, and the hash a keyed one.
package struct ResponseAddress: Hashable, Sendable {
    /// The beginning of the cache key, cut between code points.
    package let keyPrefix: String
    /// XXH64 of the whole cache key with seed 0, as the integer with the same bits.
    package let hash: Int64
    /// The number that distinguishes responses of one cache key; begins at 1.
    package let variant: Int64

    /// The place of a variant of the responses of `key`, in the form that `texts` have in the store.
    package init(key: String, variant: Int64, _ texts: KeyTexts) {
        (keyPrefix, hash) = texts.place(ofCacheKey: key)
        self.variant = variant
    }

    /// The place with these parts.
    package init(keyPrefix: String, hash: Int64, variant: Int64) {
        (self.keyPrefix, self.hash, self.variant) = (keyPrefix, hash, variant)
    }

    init(reading reader: inout TupleReader) throws(FormatError) {
        keyPrefix = try reader.text()
        hash = try reader.integer()
        variant = try reader.count("variant")
    }

    /// Appends the three elements.
    func append(to buffer: inout KeyBuffer) throws(FormatError) {
        try buffer.append(text: keyPrefix)
        try buffer.append(integer: hash)
        try buffer.append(integer: variant)
    }

    /// Returns the longest beginning of `key` that ends between code points and has at most
    /// ``Limits/cacheKeyPrefix`` bytes encoded.
    package static func keyPrefix(of key: String) -> String {
        // Code and terminator.
        var length = 2
        let scalars = key.unicodeScalars
        var end = scalars.startIndex
        while end < scalars.endIndex {
            let scalar = scalars[end]
            length += scalar.value == 0 ? 2 : UTF8.width(scalar)
            if length > Limits.cacheKeyPrefix { break }
            scalars.formIndex(after: &end)
        }
        return end == scalars.endIndex ? key : String(scalars[..<end])
    }

    /// Returns the XXH64 of a cache key with seed 0, as the integer with the same bits.
    package static func hash(of key: String) -> Int64 {
        Int64(bitPattern: Array(key.utf8).rawSpan.xxh64(seed: 0))
    }

    /// Whether both are encoded to the same bytes.
    package static func == (left: ResponseAddress, right: ResponseAddress) -> Bool {
        left.hash == right.hash && left.variant == right.variant && left.keyPrefix.equalsBytewise(right.keyPrefix)
    }

    /// Feeds the parts that `==` compares to `hasher`.
    package func hash(into hasher: inout Hasher) {
        keyPrefix.hashBytewise(into: &hasher)
        hasher.combine(hash)
        hasher.combine(variant)
    }
}
