// Proves that each public type of these modules can be named alone where a file imports every product, Foundation and
// Observation.

import Foundation
import Larder
import LarderAsyncHTTPClient
import LarderEngine
import LarderFormat
import LarderHTTP
import LarderJSON
import LarderObservation
import LarderOutbox
import LarderPostgres
import LarderQuery
import LarderServer
import LarderStore
import LarderSync
import LarderTesting
import LarderTransport
import LarderURLSession
import Observation

private enum UpperNames {
    // Larder
    typealias LarderCacheLocation = CacheLocation
    typealias LarderCacheOptions = CacheOptions
    typealias LarderCacheServices = CacheServices
    typealias LarderCachedRow = CachedRow
    typealias LarderContentCache = ContentCache
    typealias LarderJSONPayloadCoder = JSONPayloadCoder
    typealias LarderKeepProgress = KeepProgress
    typealias LarderKeyRange = KeyRange
    typealias LarderLocalRow = LocalRow
    typealias LarderOutboxWriteQueue = OutboxWriteQueue
    typealias LarderPendingWrite = PendingWrite
    typealias LarderRowError = RowError
    typealias LarderRowHit = RowHit
    typealias LarderRowSchema = RowSchema
    typealias LarderRowValues = RowValues
    typealias LarderSQLCondition = SQLCondition
    typealias LarderSQLConvertible = SQLConvertible
    typealias LarderSystemConnectivity = SystemConnectivity
    typealias LarderSystemPower = SystemPower
    #if os(Linux)
    typealias LarderNetlinkConnectivity = NetlinkConnectivity
    typealias LarderPowerSupplyPower = PowerSupplyPower
    #endif
    // LarderAsyncHTTPClient
    #if AsyncHTTPClient
    typealias LarderAsyncHTTPClientAsyncHTTPClientTransport = AsyncHTTPClientTransport
    #endif
    // LarderHTTP
    typealias LarderHTTPAnswerBody = AnswerBody
    typealias LarderHTTPAnswerOrigin = AnswerOrigin
    typealias LarderHTTPAnswerSequence = AnswerSequence
    typealias LarderHTTPAnswerState = AnswerState
    typealias LarderHTTPBodySource = BodySource
    typealias LarderHTTPCachePolicy = CachePolicy
    typealias LarderHTTPCacheReason = CacheReason
    typealias LarderHTTPCacheSelection = CacheSelection
    typealias LarderHTTPCachedResponse = CachedResponse
    typealias LarderHTTPCollectionEntry = CollectionEntry
    typealias LarderHTTPCreateOutcome = CreateOutcome
    typealias LarderHTTPFallbackDecision = FallbackDecision
    typealias LarderHTTPFetchPriority = FetchPriority
    typealias LarderHTTPFetchRequest = FetchRequest
    typealias LarderHTTPFetchRetries = FetchRetries
    typealias LarderHTTPFetched = Fetched
    typealias LarderHTTPFileCache = FileCache
    typealias LarderHTTPFileCacheError = FileCacheError
    typealias LarderHTTPFreshness = Freshness
    typealias LarderHTTPHTTPAnswer = HTTPAnswer
    typealias LarderHTTPHTTPCache = HTTPCache
    typealias LarderHTTPHTTPCacheError = HTTPCacheError
    typealias LarderHTTPHTTPCacheOptions = HTTPCacheOptions
    typealias LarderHTTPKeyedQueryError = KeyedQueryError
    typealias LarderHTTPKeyedQueryOptions = KeyedQueryOptions
    typealias LarderHTTPMemoryObjectStorage = MemoryObjectStorage
    typealias LarderHTTPMemoryResponseCache = MemoryResponseCache
    typealias LarderHTTPNoCache = NoCache
    typealias LarderHTTPObjectAnswers = ObjectAnswers
    typealias LarderHTTPObjectBackend = ObjectBackend
    typealias LarderHTTPObjectCache = ObjectCache
    typealias LarderHTTPObjectCacheOptions = ObjectCacheOptions
    typealias LarderHTTPObjectChange = ObjectChange
    typealias LarderHTTPObjectClass = ObjectClass
    typealias LarderHTTPObjectCollection = ObjectCollection
    typealias LarderHTTPObjectEntry = ObjectEntry
    typealias LarderHTTPObjectFile = ObjectFile
    typealias LarderHTTPObjectMembership = ObjectMembership
    typealias LarderHTTPObjectName = ObjectName
    typealias LarderHTTPObjectPersistence = ObjectPersistence
    typealias LarderHTTPObjectQuery = ObjectQuery
    typealias LarderHTTPObjectService = ObjectService
    typealias LarderHTTPObjectStorage = ObjectStorage
    typealias LarderHTTPObjectStrategy = ObjectStrategy
    typealias LarderHTTPObjectValues = ObjectValues
    typealias LarderHTTPObjectWrite = ObjectWrite
    typealias LarderHTTPPagedQuery = PagedQuery
    typealias LarderHTTPPrefetchOutcome = PrefetchOutcome
    typealias LarderHTTPQueried = Queried
    typealias LarderHTTPQueryCache = QueryCache
    typealias LarderHTTPQueryKey = QueryKey
    typealias LarderHTTPQueryRetry = QueryRetry
    typealias LarderHTTPQueryState = QueryState
    typealias LarderHTTPQueueReport = QueueReport
    typealias LarderHTTPQueuedWrite = QueuedWrite
    typealias LarderHTTPReceivedObject = ReceivedObject
    typealias LarderHTTPRequestTerms = RequestTerms
    typealias LarderHTTPResponseCache = ResponseCache
    typealias LarderHTTPResponseWriter = ResponseWriter
    typealias LarderHTTPReuseDecision = ReuseDecision
    typealias LarderHTTPSingleAnswerStrategy = SingleAnswerStrategy
    typealias LarderHTTPStorageDecision = StorageDecision
    typealias LarderHTTPStorageOptions = StorageOptions
    typealias LarderHTTPStorageRemoval = StorageRemoval
    typealias LarderHTTPStoreObjectStorage = StoreObjectStorage
    typealias LarderHTTPStoreResponseCache = StoreResponseCache
    typealias LarderHTTPStoredObject = StoredObject
    typealias LarderHTTPStoredResponse = StoredResponse
    typealias LarderHTTPTwoAnswerStrategy = TwoAnswerStrategy
    typealias LarderHTTPUpdateDecision = UpdateDecision
    typealias LarderHTTPValidatorFields = ValidatorFields
    typealias LarderHTTPValueSequence = ValueSequence
    typealias LarderHTTPWaitingWrite = WaitingWrite
    typealias LarderHTTPWriteOutcome = WriteOutcome
    typealias LarderHTTPWriteQueue = WriteQueue
    // LarderObservation
    typealias LarderObservationObservedProgress = ObservedProgress
    typealias LarderObservationObservedRows = ObservedRows
    typealias LarderObservationObservedSession = ObservedSession
    typealias LarderObservationObservedWrites = ObservedWrites

    // LarderOutbox
    typealias LarderOutboxAuthenticator = Authenticator
    typealias LarderOutboxBatchPolicy = BatchPolicy
    typealias LarderOutboxBufferPolicy = BufferPolicy
    typealias LarderOutboxBufferUploader = BufferUploader
    typealias LarderOutboxCoalescing = Coalescing
    typealias LarderOutboxConflict = Conflict
    typealias LarderOutboxConflictPolicy = ConflictPolicy
    typealias LarderOutboxConflictResolution = ConflictResolution
    typealias LarderOutboxConflictResolver = ConflictResolver
    typealias LarderOutboxDecision = Decision
    typealias LarderOutboxEnqueued = Enqueued
    typealias LarderOutboxLane = Lane
    typealias LarderOutboxLocationPoint = LocationPoint
    typealias LarderOutboxOutbox = Outbox
    typealias LarderOutboxOutboxBounds = OutboxBounds
    typealias LarderOutboxOutboxConfiguration = OutboxConfiguration
    typealias LarderOutboxOutboxError = OutboxError
    typealias LarderOutboxOutboxEvent = OutboxEvent
    typealias LarderOutboxOutboxPolicy = OutboxPolicy
    typealias LarderOutboxOutboxResult = OutboxResult
    typealias LarderOutboxOutboxStatus = OutboxStatus
    typealias LarderOutboxOutboxWrite = OutboxWrite
    typealias LarderOutboxPauseReason = PauseReason
    typealias LarderOutboxPowerTransition = PowerTransition
    typealias LarderOutboxPreparedWrite = PreparedWrite
    typealias LarderOutboxRefreshControl = RefreshControl
    typealias LarderOutboxRejectionReason = RejectionReason
    typealias LarderOutboxResponseLoading = ResponseLoading
    typealias LarderOutboxSamplingPolicy = SamplingPolicy
    typealias LarderOutboxSecretName = SecretName
    typealias LarderOutboxSecretStore = SecretStore
    typealias LarderOutboxSession = Session
    typealias LarderOutboxSessionBanner = SessionBanner
    typealias LarderOutboxSessionError = SessionError
    typealias LarderOutboxSessionStatus = SessionStatus
    typealias LarderOutboxSessionValue = SessionValue
    typealias LarderOutboxSessionValues = SessionValues
    typealias LarderOutboxSignOutPolicy = SignOutPolicy
    typealias LarderOutboxUndoBlockedReason = UndoBlockedReason
    // LarderPostgres
    #if Postgres
    typealias LarderPostgresGroupRulesConflict = GroupRulesConflict
    typealias LarderPostgresPostgresConfiguration = PostgresConfiguration
    typealias LarderPostgresPostgresError = PostgresError
    typealias LarderPostgresPostgresIdempotencyStore = PostgresIdempotencyStore
    typealias LarderPostgresPostgresIsolation = PostgresIsolation
    typealias LarderPostgresPostgresOrigin = PostgresOrigin
    typealias LarderPostgresPostgresPool = PostgresPool
    typealias LarderPostgresPostgresRow = PostgresRow
    typealias LarderPostgresPostgresTransaction = PostgresTransaction
    typealias LarderPostgresPostgresValue = PostgresValue
    #endif
    // LarderServer
    typealias LarderServerChangedResources = ChangedResources
    typealias LarderServerEventSettings = EventSettings
    typealias LarderServerContentFilter = ContentFilter
    typealias LarderServerContentLoader = ContentLoader
    typealias LarderServerSyncOrigin = SyncOrigin
    typealias LarderServerEditableOrigin = EditableOrigin
    typealias LarderServerGroupRules = GroupRules
    typealias LarderServerGroupTable = GroupTable
    typealias LarderServerIdempotencyClaim = IdempotencyClaim
    typealias LarderServerIdempotencyError = IdempotencyError
    typealias LarderServerIdempotencyExecutor = IdempotencyExecutor
    typealias LarderServerIdempotencyKey = IdempotencyKey
    typealias LarderServerIdempotencyLease = IdempotencyLease
    typealias LarderServerIdempotencyOutcome = IdempotencyOutcome
    typealias LarderServerIdempotencyPermit = IdempotencyPermit
    typealias LarderServerIdempotencyPolicy = IdempotencyPolicy
    typealias LarderServerIdempotencyProblem = IdempotencyProblem
    typealias LarderServerIdempotencyStore = IdempotencyStore
    typealias LarderServerIdempotentRequest = IdempotentRequest
    typealias LarderServerIdempotentResponse = IdempotentResponse
    typealias LarderServerLMDBIdempotencyStore = LMDBIdempotencyStore
    typealias LarderServerListQuery = ListQuery
    typealias LarderServerLoadError = LoadError
    typealias LarderServerOrigin = Origin
    typealias LarderServerOriginConfiguration = OriginConfiguration
    typealias LarderServerOriginError = OriginError
    typealias LarderServerOriginPage = OriginPage
    typealias LarderServerOriginProblem = OriginProblem
    typealias LarderServerOriginQuery = OriginQuery
    typealias LarderServerOriginSnapshot = OriginSnapshot
    typealias LarderServerRequestFingerprint = RequestFingerprint
    typealias LarderServerResponseRetention = ResponseRetention
    typealias LarderServerServerTransaction = ServerTransaction
    typealias LarderServerServerView = ServerView
    typealias LarderServerTokenSecret = TokenSecret
    #if Server
    typealias LarderServerContentSyncMiddleware = ContentSyncMiddleware
    typealias LarderServerIdempotencyMiddleware = IdempotencyMiddleware
    typealias LarderServerIdempotentRequestContext = IdempotentRequestContext
    typealias LarderServerOriginServer = OriginServer
    #endif
    // LarderSync
    typealias LarderSyncContentSync = ContentSync
    typealias LarderSyncFilterStatus = FilterStatus
    typealias LarderSyncJSONKind = JSONKind
    typealias LarderSyncJSONPageLayout = JSONPageLayout
    typealias LarderSyncJSONPageSource = JSONPageSource
    typealias LarderSyncJSONScalar = JSONScalar
    typealias LarderSyncKeepError = KeepError
    typealias LarderSyncKeepEstimate = KeepEstimate
    typealias LarderSyncKeepShortage = KeepShortage
    typealias LarderSyncKeepStatus = KeepStatus
    typealias LarderSyncListChanges = ListChanges
    typealias LarderSyncListConfiguration = ListConfiguration
    typealias LarderSyncListError = ListError
    typealias LarderSyncListEvent = ListEvent
    typealias LarderSyncListItem = ListItem
    typealias LarderSyncListMovement = ListMovement
    typealias LarderSyncListPage = ListPage
    typealias LarderSyncListReconciler = ListReconciler
    typealias LarderSyncListReport = ListReport
    typealias LarderSyncMutation = Mutation
    typealias LarderSyncMutationType = MutationType
    typealias LarderSyncNotReadyError = NotReadyError
    typealias LarderSyncPageRequest = PageRequest
    typealias LarderSyncPageSource = PageSource
    typealias LarderSyncPagedList = PagedList
    typealias LarderSyncPaging = Paging
    typealias LarderSyncPinnedResource = PinnedResource
    typealias LarderSyncRecordFields = RecordFields
    typealias LarderSyncResourceFilter = ResourceFilter
    typealias LarderSyncRowKeyMapping = RowKeyMapping
    typealias LarderSyncRunProgress = RunProgress
    typealias LarderSyncServerPath = ServerPath
    typealias LarderSyncServerProblem = ServerProblem
    typealias LarderSyncSnapshotHeader = SnapshotHeader
    typealias LarderSyncSnapshotRowKey = SnapshotRowKey
    typealias LarderSyncSyncAllowance = SyncAllowance
    typealias LarderSyncSyncConfiguration = SyncConfiguration
    typealias LarderSyncSyncCoordinator = SyncCoordinator
    typealias LarderSyncSyncError = SyncError
    typealias LarderSyncSyncEvent = SyncEvent
    typealias LarderSyncSyncLimits = SyncLimits
    typealias LarderSyncSyncPage = SyncPage
    typealias LarderSyncSyncPolicy = SyncPolicy
    typealias LarderSyncSyncPriority = SyncPriority
    typealias LarderSyncSyncReport = SyncReport
    typealias LarderSyncSyncRequest = SyncRequest
    typealias LarderSyncSyncStatus = SyncStatus
    typealias LarderSyncSyncTrigger = SyncTrigger
    typealias LarderSyncWireError = WireError
    // LarderTesting
    typealias LarderTestingFault = Fault
    typealias LarderTestingHandlerTransport = HandlerTransport
    typealias LarderTestingMemorySecretStore = MemorySecretStore
    typealias LarderTestingOriginTransport = OriginTransport
    typealias LarderTestingScriptedConnectivity = ScriptedConnectivity
    typealias LarderTestingScriptedPower = ScriptedPower
    typealias LarderTestingScriptedRoute = ScriptedRoute
    typealias LarderTestingScriptedTransport = ScriptedTransport
    typealias LarderTestingSeededGenerator = SeededGenerator
    typealias LarderTestingVirtualClock = VirtualClock
    typealias LarderTestingWaitExpired = WaitExpired
    // LarderURLSession
    typealias LarderURLSessionURLSessionTransport = URLSessionTransport
}
