// account(of:): the account of a request in the tests of idempotency.

#if Server
import HTTPTypes
import Hummingbird

/// Whose keys a test's requests use: the field `X-Account`, or nobody's.
func account(of request: Request) -> String {
    HTTPField.Name("X-Account").flatMap { request.headers[$0] } ?? ""
}
#endif
