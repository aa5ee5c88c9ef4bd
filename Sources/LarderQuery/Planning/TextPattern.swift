/// The common beginning of every text that a pattern of `LIKE` or `GLOB` matches.
enum TextPattern {
    /// Returns the fixed beginning of a `GLOB` pattern, which is case-sensitive.
    static func globPrefix(_ pattern: String) -> String {
        prefix(pattern) { $0 != "*" && $0 != "?" && $0 != "[" }
    }

    /// Returns the fixed beginning of a `LIKE` pattern, which ignores the case of ASCII letters.
    static func likePrefix(_ pattern: String) -> String {
        prefix(pattern) { $0 != "%" && $0 != "_" }
    }

    /// Returns the beginning as ``likePrefix(_:)``, up to the first letter: the result is the same byte for byte.
    static func caselessLikePrefix(_ pattern: String) -> String {
        prefix(pattern) { $0 != "%" && $0 != "_" && !isASCIILetter($0) }
    }

    /// Returns the fixed beginning. Patterns end at a zero character, as SQLite reads them.
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

    /// Returns a text after every one that begins with `prefix`; nil when there is none.
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
