// Damage: single-byte changes and truncations of bytes.

/// Every way to change one byte to one of a few neighbours: each single bit, zero, and all ones.
func flips(of bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.flatMap { index in
        let replacements = (0..<8).map { bytes[index] ^ (1 << $0) } + [0, 0xFF, bytes[index] &+ 1, ~bytes[index]]
        return Set(replacements).subtracting([bytes[index]]).map { replacement in
            var damaged = bytes
            damaged[index] = replacement
            return damaged
        }
    }
}

/// Every proper beginning.
func truncations(of bytes: [UInt8]) -> [[UInt8]] { bytes.indices.map { Array(bytes[..<$0]) } }
