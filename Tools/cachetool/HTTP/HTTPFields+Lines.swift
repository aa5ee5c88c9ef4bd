import ArgumentParser
import Foundation
import HTTPTypes

extension HTTPFields {
    /// Parses lines of NAME:VALUE.
    ///
    /// - Throws: `ValidationError` for any other line; it does not quote the line.
    init(lines: [String]) throws {
        self.init()
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])), HTTPField.isValidValue(value) else {
                throw ValidationError("A header is not NAME:VALUE.")
            }
            append(HTTPField(name: name, value: value))
        }
    }
}
