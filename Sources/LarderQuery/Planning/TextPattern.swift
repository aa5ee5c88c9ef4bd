/// What every text begins with that a pattern of `LIKE` or `GLOB` matches.
enum TextPattern {
    /// The fixed beginning of a `GLOB` pattern, which minds case.
    static func globPrefix(_ pattern: String) -> String {
        prefix(pattern) { $0 != "*" && $0 != "?" && $0 != "[" }
    }

    /// The fixed beginning of a `LIKE` pattern, which takes ASCII letters of either case for the same.
    static func likePrefix(_ pattern: String) -> String {
        prefix(pattern) { $0 != "%" && $0 != "_" }
    }

    /// As ``likePrefix(_:)``, up to the first letter that has two cases: what is left is the same byte for byte.
    static func caselessLikePrefix(_ pattern: String) -> String {
        prefix(pattern) { $0 != "%" && $0 != "_" && !isASCIILetter($0) }
    }

    /// Patterns end at a zero character, as SQLite reads them.
    private static func prefix(_ pattern: String, while isFixed: (Unicode.Scalar) -> Bool) -> String {
        var prefix = String.UnicodeScalarView()
        for scalar in pattern.unicodeScalars {
            guard scalar.value != 0, isFixed(scalar) else { break }
            prefix.append(scalar)
        }
        return String(prefix)
    }

    private static func isASCIILetter(_ scalar: Unicode.Scalar) -> Bool {
        (0x41...0x5A).contains(scalar.value) || (0x61...0x7A).contains(scalar.value)
    }

    /// A text behind every one that begins with `prefix`; nil when there is none.
    static func end(ofPrefix prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The scalars skip the surrogates.
            guard let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            var end = String.UnicodeScalarView(scalars)
            end.append(next)
            return String(end)
        }
        return nil
    }

    /// Whether the text of a number can begin with `prefix`: `-1.5`, `1e+20`, `Inf`.
    static func mayBeginNumber(_ prefix: String) -> Bool {
        guard let first = prefix.utf8.first else { return true }
        return (0x30...0x39).contains(first) || [0x2D, 0x49, 0x69].contains(first)
    }
}
