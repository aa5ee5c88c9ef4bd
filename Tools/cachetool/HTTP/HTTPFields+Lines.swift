import ArgumentParser
import Foundation
import HTTPTypes

extension HTTPFields {
    /// The fields that lines of NAME:VALUE spell; errors do not quote them.
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
