// Proves that each public type of these modules can be named alone where a file imports every product, Foundation and
// Observation.

import Foundation
import Larder
import LarderAsyncHTTPClient
import LarderEncryption
import LarderEngine
import LarderFormat
import LarderHTTP
import LarderJSON
import LarderObservation
import LarderOutbox
import LarderQuery
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import LarderURLSession
import Observation

private enum LowerNames {
    #if Encryption
    // LarderEncryption
    typealias LarderEncryptionEncryptionKey = EncryptionKey
    #endif
    // LarderEngine
    typealias LarderEngineCursor = Cursor
    typealias LarderEngineDurability = Durability
    typealias LarderEngineEngineError = EngineError
    typealias LarderEngineEntry = Entry
    typealias LarderEngineEnvironment = Environment
    typealias LarderEngineEnvironmentInfo = EnvironmentInfo
    typealias LarderEngineEnvironmentOptions = EnvironmentOptions
    typealias LarderEngineKeyFailure = KeyFailure
    typealias LarderEnginePageProblem = PageProblem
    typealias LarderEnginePageScrub = PageScrub
    typealias LarderEnginePathProblem = PathProblem
    typealias LarderEngineReadTransaction = ReadTransaction
    typealias LarderEngineTable = Table
    typealias LarderEngineTableStatistics = TableStatistics
    typealias LarderEngineWriteCursor = WriteCursor
    typealias LarderEngineWriteTransaction = WriteTransaction
    // LarderFormat
    typealias LarderFormatBlob = Blob
    typealias LarderFormatBufferName = BufferName
    typealias LarderFormatBufferState = BufferState
    typealias LarderFormatBufferUpload = BufferUpload
    typealias LarderFormatBufferedPoint = BufferedPoint
    typealias LarderFormatCollectionName = CollectionName
    typealias LarderFormatCredentialFields = CredentialFields
    typealias LarderFormatEviction = Eviction
    typealias LarderFormatFilterState = FilterState
    typealias LarderFormatFormatAccess = FormatAccess
    typealias LarderFormatFormatError = FormatError
    typealias LarderFormatFormatVersion = FormatVersion
    typealias LarderFormatHeaderField = HeaderField
    typealias LarderFormatIndexCollation = IndexCollation
    typealias LarderFormatIndexState = IndexState
    typealias LarderFormatIndexValue = IndexValue
    typealias LarderFormatLimits = Limits
    typealias LarderFormatOutboxDelivery = OutboxDelivery
    typealias LarderFormatOutboxDraft = OutboxDraft
    typealias LarderFormatOutboxOutcome = OutboxOutcome
    typealias LarderFormatOverlayChange = OverlayChange
    typealias LarderFormatPayloadCodec = PayloadCodec
    typealias LarderFormatRecordedRuns = RecordedRuns
    typealias LarderFormatResolvedConflict = ResolvedConflict
    typealias LarderFormatResourceKey = ResourceKey
    typealias LarderFormatResourceState = ResourceState
    typealias LarderFormatRowKey = RowKey
    typealias LarderFormatSelectingField = SelectingField
    typealias LarderFormatStoredSession = StoredSession
    typealias LarderFormatUUIDBytes = UUIDBytes
    // LarderJSON
    typealias LarderJSONJSONError = JSONError
    typealias LarderJSONJSONPath = JSONPath
    // LarderStore
    typealias LarderStoreAuthenticationState = AuthenticationState
    typealias LarderStoreBlobHandle = BlobHandle
    typealias LarderStoreBlobWriter = BlobWriter
    typealias LarderStoreChangeSet = ChangeSet
    typealias LarderStoreCollectionRows = CollectionRows
    typealias LarderStoreCompactionSummary = CompactionSummary
    typealias LarderStoreCompressionSummary = CompressionSummary
    typealias LarderStoreDamageRecovery = DamageRecovery
    typealias LarderStoreEncryptionProblem = EncryptionProblem
    typealias LarderStoreFilterReadiness = FilterReadiness
    typealias LarderStoreFinding = Finding
    typealias LarderStoreHostServices = HostServices
    typealias LarderStoreIndexDefinition = IndexDefinition
    typealias LarderStoreIndexEntry = IndexEntry
    typealias LarderStoreIndexRange = IndexRange
    typealias LarderStoreOutboxEntry = OutboxEntry
    typealias LarderStoreOutboxOwner = OutboxOwner
    typealias LarderStoreOverlay = Overlay
    typealias LarderStorePayloadCoder = PayloadCoder
    typealias LarderStorePendingOutbox = PendingOutbox
    typealias LarderStorePublishedStore = PublishedStore
    typealias LarderStoreReadSource = ReadSource
    typealias LarderStoreReadView = ReadView
    typealias LarderStoreRegion = Region
    typealias LarderStoreResource = Resource
    typealias LarderStoreResourceFailure = ResourceFailure
    typealias LarderStoreResourceReadiness = ResourceReadiness
    typealias LarderStoreRow = Row
    typealias LarderStoreRowEffect = RowEffect
    typealias LarderStoreRowEntry = RowEntry
    typealias LarderStoreRowRange = RowRange
    typealias LarderStoreRowReader = RowReader
    typealias LarderStoreSalvageReport = SalvageReport
    typealias LarderStoreSecondaryIndex = SecondaryIndex
    typealias LarderStoreServerContent = ServerContent
    typealias LarderStoreServerMismatch = ServerMismatch
    typealias LarderStoreSingleAnswer = SingleAnswer
    typealias LarderStoreSnapshotWriter = SnapshotWriter
    typealias LarderStoreSpaceShortage = SpaceShortage
    typealias LarderStoreSpaceUse = SpaceUse
    typealias LarderStoreStore = Store
    typealias LarderStoreStoreChanges = StoreChanges
    typealias LarderStoreStoreCompression = StoreCompression
    typealias LarderStoreStoreEncryption = StoreEncryption
    typealias LarderStoreStoreError = StoreError
    typealias LarderStoreStoreEvictions = StoreEvictions
    typealias LarderStoreStoreOptions = StoreOptions
    typealias LarderStoreStoreReader = StoreReader
    typealias LarderStoreStoreRecovery = StoreRecovery
    typealias LarderStoreStoreStatistics = StoreStatistics
    typealias LarderStoreStoreValues = StoreValues
    typealias LarderStoreStoredCollection = StoredCollection
    typealias LarderStoreStoredRow = StoredRow
    typealias LarderStoreTransaction = Transaction
    typealias LarderStoreUnsentContent = UnsentContent
    typealias LarderStoreUnshownWrite = UnshownWrite
    typealias LarderStoreValidators = Validators
    typealias LarderStoreVerifyLevel = VerifyLevel
    typealias LarderStoreVerifySummary = VerifySummary
    typealias LarderStoreWriterStatistics = WriterStatistics
    // LarderTransport
    typealias LarderTransportBaseURL = BaseURL
    typealias LarderTransportCaptivePortal = CaptivePortal
    typealias LarderTransportConnectivitySource = ConnectivitySource
    typealias LarderTransportCredentials = Credentials
    typealias LarderTransportFixedCredentials = FixedCredentials
    typealias LarderTransportHTTPReachabilityProbe = HTTPReachabilityProbe
    typealias LarderTransportNetworkLevel = NetworkLevel
    typealias LarderTransportNetworkState = NetworkState
    typealias LarderTransportOfflineSwitch = OfflineSwitch
    typealias LarderTransportOutcomeTable = OutcomeTable
    typealias LarderTransportPowerReading = PowerReading
    typealias LarderTransportPowerSource = PowerSource
    typealias LarderTransportPowerState = PowerState
    typealias LarderTransportReachabilityProbe = ReachabilityProbe
    typealias LarderTransportRequestTarget = RequestTarget
    typealias LarderTransportResponseFacts = ResponseFacts
    typealias LarderTransportRetryPolicy = RetryPolicy
    typealias LarderTransportSteadyConnectivity = SteadyConnectivity
    typealias LarderTransportSteadyPower = SteadyPower
    typealias LarderTransportStreamedBody = StreamedBody
    typealias LarderTransportTransport = Transport
    typealias LarderTransportTransportBody = TransportBody
    typealias LarderTransportTransportError = TransportError
    typealias LarderTransportTransportResponse = TransportResponse
    typealias LarderTransportTransportTimeouts = TransportTimeouts
    typealias LarderTransportVerdict = Verdict
    typealias LarderTransportWriteSchedule = WriteSchedule
    // LarderQuery
    typealias LarderQueryColumnDefinition = ColumnDefinition
    typealias LarderQueryOrder = Order
    typealias LarderQueryQueryAnswer = QueryAnswer
    typealias LarderQueryQueryAnswers = QueryAnswers
    typealias LarderQueryQueryError = QueryError
    typealias LarderQueryQueryFacts = QueryFacts
    typealias LarderQueryQueryObject = QueryObject
    typealias LarderQueryQueryOptions = QueryOptions
    typealias LarderQueryQueryPredicate = QueryPredicate
    typealias LarderQueryQueryResults = QueryResults
    typealias LarderQueryQueryRow = QueryRow
    typealias LarderQuerySQLValue = SQLValue
    typealias LarderQuerySearchField = SearchField
    typealias LarderQuerySearchHit = SearchHit
    typealias LarderQuerySearchOptions = SearchOptions
    typealias LarderQuerySearchText = SearchText
    typealias LarderQueryStoreQuery = StoreQuery
    typealias LarderQueryTableDefinition = TableDefinition
    typealias LarderQueryTokenizer = Tokenizer
}
