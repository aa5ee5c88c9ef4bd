package import HTTPTypes

extension HTTPField {
    /// The bytes of the value as they were received; the text of a field replaces bytes that are not UTF-8.
    package var bytes: [UInt8] {
        // The buffer is copied inside the call in which it is valid.
        unsafe withUnsafeBytesOfValue { unsafe Array($0) }
    }

    /// Whether its name is `name`, which is in lower case.
    fileprivate func isNamed(_ name: String) -> Bool {
        // The lengths of two names mostly differ, and are compared faster.
        self.name.canonicalName.utf8.count == name.utf8.count && self.name.canonicalName == name
    }
}

extension HTTPFields {
    /// Returns the values of the lines named `name` (in lower case), in their order. Linear in the number of fields.
    package func lines(of name: String) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for field in self where field.isNamed(name) { lines.append(field.bytes) }
        return lines
    }

    /// Returns the lines named `name` (in lower case) as one list, joined by commas; nil without any. RFC 9110 §5.3.
    package func combined(_ name: String) -> [UInt8]? {
        guard let first = firstIndex(where: { $0.isNamed(name) }) else { return nil }
        var all = self[first].bytes
        for field in self[(first + 1)...] where field.isNamed(name) {
            all += [0x2C, 0x20]
            all += field.bytes
        }
        return all
    }

    /// Returns the value of the first line named `name` (in lower case), without white space around it.
    package func first(_ name: String) -> [UInt8]? {
        first { $0.isNamed(name) }.map { FieldScanner.trimmed($0.bytes) }
    }

    /// Whether there is a line named `name`, in lower case.
    package func has(_ name: String) -> Bool { contains { $0.isNamed(name) } }
}
