// Proves that a server's error is read from either envelope, within limits.

import LarderSync
import Testing

@Suite struct `A server's problem` {
    @Test(
        arguments: [
            (
                #"{"error": {"code": "resync_required", "message": "Bootstrap again."}}"#, "resync_required",
                "Bootstrap again."
            ),
            (
                #"{"message":"Slow down","type":"rate_limit_exceeded","success":false}"#, "rate_limit_exceeded",
                "Slow down"
            ),
            (#"{"error": {"code": 5}}"#, nil, ""), (#"{"error": "x", "message": "m"}"#, nil, "m"), ("{}", nil, ""),
            ("<html>502</html>", nil, ""), ("", nil, ""), ("[1]", nil, ""), (#"{"type":"a","type":"b"}"#, nil, ""),
            (#"{"type":"a"} x"#, nil, ""), ("3", nil, ""),
            (#"{"error": {"code": "a\u001b[2J", "message": "m"}}"#, nil, "m"),
            (#"{"error": {"code": "two words", "message": "m"}}"#, nil, "m"),
            ("{\"error\": {\"code\": \"a\u{9B}\", \"message\": \"m\"}}", nil, "m"),
            ("{\"type\":\"\(String(repeating: "a", count: 65))\"}", nil, ""),
        ] as [(String, String?, String)])
    func `is read from either envelope or is empty`(body: String, code: String?, message: String) {
        #expect(
            ServerProblem(status: 418, body: Array(body.utf8))
                == ServerProblem(status: 418, code: code, message: message))
    }

    @Test func `keeps only the beginning of a long message`() {
        let body = "{\"message\":\"\(String(repeating: "é", count: 600))\"}"
        #expect(ServerProblem(status: 500, body: Array(body.utf8)).message == String(repeating: "é", count: 500))
    }

    @Test func `is not parsed from a huge body`() {
        let body = "{\"type\":\"a\",\"x\":\"\(String(repeating: "a", count: 64 << 10))\"}"
        #expect(ServerProblem(status: 500, body: Array(body.utf8)).code == nil)
    }
}
