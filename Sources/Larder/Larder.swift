// The umbrella module that an app imports. It re-exports the modules of the API and adds the defaults of a system.

@_exported public import HTTPTypes
@_exported public import LarderEngine
@_exported public import LarderFormat
@_exported public import LarderHTTP
@_exported public import LarderJSON
@_exported public import LarderOutbox
@_exported public import LarderStore
@_exported public import LarderSync
@_exported public import LarderTransport
@_exported public import Logging
