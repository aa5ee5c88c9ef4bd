package import HTTPTypes

extension HTTPField {
    /// The bytes of the value as they were received; the text of a field replaces bytes that are not UTF-8.
    package var bytes: [UInt8] {
        // The buffer is copied inside the call in which it is valid.
        unsafe withUnsafeBytesOfValue { unsafe Array($0) }
    }
}

extension HTTPFields {
    /// Returns the values of the lines named `name` (in lower case), in their order. Linear in the number of fields.
    package func lines(of name: String) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for field in self where field.name.canonicalName == name { lines.append(field.bytes) }
        return lines
    }

    /// Returns the lines named `name` (in lower case) as one list, joined by commas; nil without any. RFC 9110 §5.3.
    package func combined(_ name: String) -> [UInt8]? {
        var lines = lines(of: name)[...]
        guard var all = lines.popFirst() else { return nil }
        for line in lines {
            all += [0x2C, 0x20]
            all += line
        }
        return all
    }

    /// Returns the value of the first line named `name` (in lower case), without white space around it.
    package func first(_ name: String) -> [UInt8]? {
        first { $0.name.canonicalName == name }.map { FieldScanner.trimmed($0.bytes) }
    }

    /// Whether there is a line named `name`, in lower case.
    package func has(_ name: String) -> Bool { contains { $0.name.canonicalName == name } }
}
