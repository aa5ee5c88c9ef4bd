// Proves that docs/metrics.md lists the metrics that the sources report, and that the dashboard shows them all and no other.

import Foundation
import Testing

@Suite struct `The names of metrics` {
    private let root = ModuleSources.root.appending(path: "..")

    private func names(in text: String) -> Set<String> {
        Set(
            text.matches(of: /larder_[a-z_]+/).map { match in
                // Prometheus has three series for each timer.
                String(match.0).replacing(/_(bucket|count|sum)$/, with: "")
            })
    }

    private var reported: Set<String> {
        get throws {
            let files = FileManager.default.enumerator(at: ModuleSources.root, includingPropertiesForKeys: nil)
            var found: Set<String> = []
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /"(larder_[a-z_]+)"/) { found.insert(String(match.1)) }
            }
            return found
        }
    }

    @Test(arguments: ["docs/metrics.md", "docs/dashboard.json"])
    func `are those of the sources`(page: String) throws {
        let reported = try reported
        #expect(reported.count > 8)
        #expect(names(in: try String(contentsOf: root.appending(path: page), encoding: .utf8)) == reported)
    }

    @Test func `stand in a dashboard that is JSON, each panel with a query`() throws {
        let data = try Data(contentsOf: root.appending(path: "docs/dashboard.json"))
        let board = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(board["panels"] as? [[String: Any]])
        #expect(panels.count > 10)
        for panel in panels {
            let targets = try #require(panel["targets"] as? [[String: Any]])
            #expect(!targets.isEmpty && targets.allSatisfy { ($0["expr"] as? String)?.isEmpty == false })
        }
    }
}
