// Browser: a headless Chromium that tests drive over the WebDriver protocol.
#if Server
import Foundation
import Testing

/// A headless Chromium with one window. It reaches no host but 127.0.0.1.
final class Browser {
    /// An element of the page.
    struct Element { fileprivate let id: String }

    /// Whether the browser is installed; where CI is set it has to be.
    static let isInstalled =
        ProcessInfo.processInfo.environment["CI"] != nil
        || FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")

    private let driver = Process()
    private let base: String
    private var session = ""
    private let profile = TemporaryDirectory()

    init(isDark: Bool = false) async throws {
        let output = Pipe()
        driver.executableURL = URL(fileURLWithPath: "/usr/bin/chromedriver")
        driver.arguments = ["--port=0"]
        driver.standardOutput = output
        driver.standardError = FileHandle.nullDevice
        try driver.run()
        base = "http://127.0.0.1:\(try Self.port(output.fileHandleForReading))"
        let options: [String: Any] = [
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
                "--user-data-dir=\(profile.path)", "--no-first-run", "--disable-background-networking",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ] + (isDark ? ["--blink-settings=preferredColorScheme=0"] : ["--blink-settings=preferredColorScheme=1"])
        ]
        let capabilities: [String: Any] = [
            "alwaysMatch": [
                "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL"],
            ]
        ]
        let made = try await send("POST", "/session", ["capabilities": capabilities]) as? [String: Any]
        session = try #require(made?["sessionId"] as? String)
    }

    /// Ends the browser and its driver.
    func close() async {
        _ = try? await send("DELETE", "/session/\(session)")
        end()
    }

    deinit { end() }

    /// Ends the driver. It has inherited the blocked signals of the thread that started it, so that only this one ends it.
    private func end() {
        if driver.isRunning { kill(driver.processIdentifier, SIGKILL) }
    }

    /// Reads the port that the driver prints, for ten seconds at most.
    private static func port(_ output: FileHandle) throws -> Int {
        var text = ""
        for _ in 0..<100 {
            var request = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            // One descriptor, which lives through the call.
            guard unsafe poll(&request, 1, 10_000) > 0 else { break }
            let chunk = output.availableData
            if chunk.isEmpty { break }
            text += String(decoding: chunk, as: UTF8.self)
            if let match = text.firstMatch(of: /successfully on port (\d+)/), let port = Int(match.1) { return port }
        }
        throw BrowserError(description: "the driver did not start: \(text)")
    }

    func open(_ address: String) async throws { try await command("POST", "/url", ["url": address]) }

    /// The address that is shown.
    func address() async throws -> String { try #require(try await command("GET", "/url") as? String) }

    /// Runs a script in the page and returns its value.
    @discardableResult
    func run(_ script: String) async throws -> Any? {
        try await command("POST", "/execute/sync", ["script": script, "args": []])
    }

    /// Runs a script that calls `done` with its value.
    func runLong(_ script: String) async throws -> Any? {
        let text = "const done = arguments[arguments.length - 1]; \(script)"
        return try await command("POST", "/execute/async", ["script": text, "args": []])
    }

    /// Returns the text of the first element that a selector finds, as a person sees it.
    func text(_ selector: String) async throws -> String {
        let element = try await find(selector)
        return try #require(try await command("GET", "/element/\(element.id)/text") as? String)
    }

    func find(_ selector: String, by strategy: String = "css selector") async throws -> Element {
        let found = try await command("POST", "/element", ["using": strategy, "value": selector]) as? [String: Any]
        return Element(id: try #require(found?.values.first as? String, "\(selector) is not there"))
    }

    func click(_ element: Element) async throws { try await command("POST", "/element/\(element.id)/click", [:]) }

    /// Clicks the first link with a text.
    func click(link text: String) async throws { try await click(try await find(text, by: "link text")) }

    /// Presses keys: letters as they are, others by their code points (WebDriver §17.4.2).
    func press(_ keys: String) async throws {
        let actions = keys.flatMap { key in
            [["type": "keyDown", "value": String(key)], ["type": "keyUp", "value": String(key)]]
        }
        try await command("POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
    }

    /// Waits until a script returns true, for ten seconds at most.
    func wait(for script: String) async throws {
        for _ in 0..<100 {
            if try await run("return Boolean(\(script))") as? Bool == true { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("\(script) did not become true: \(try await text("body").prefix(400))")
    }

    /// Returns what the page printed to the console, violations of its policy included, since the last call.
    func console() async throws -> [String] {
        let lines = try await command("POST", "/se/log", ["type": "browser"]) as? [[String: Any]]
        return (lines ?? []).compactMap { $0["message"] as? String }
    }

    /// Returns a picture of the window, as PNG.
    func picture() async throws -> Data {
        let text = try #require(try await command("GET", "/screenshot") as? String)
        return try #require(Data(base64Encoded: text))
    }

    @discardableResult
    private func command(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Any? {
        try await send(method, "/session/\(session)\(path)", body)
    }

    /// Sends a command by curl: URLSession cannot read the heads of the driver's responses.
    private func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Any? {
        let input = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        var arguments = ["-sS", "--max-time", "60", "-X", method, base + path]
        if input != nil { arguments += ["--data-binary", "@-"] }
        let sent = arguments
        // The server that the browser requests pages of needs the cooperative threads.
        let outcome = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try Tool.run("/usr/bin/curl", sent, input: [UInt8](input ?? Data())) })
            }
        }
        guard outcome.status == 0 else { throw BrowserError(description: "curl: \(outcome.errorOutput)") }
        let answer = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
        if let error = answer?["value"] as? [String: Any], let name = error["error"] as? String {
            throw BrowserError(description: "\(name): \(error["message"] as? String ?? "")")
        }
        return answer?["value"]
    }
}

/// An error that the driver reported.
struct BrowserError: Error, CustomStringConvertible { let description: String }
#endif
