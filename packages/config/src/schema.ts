import { type Static, Type } from '@sinclair/typebox'
import { providerKinds, settingMust, settingPattern, settingsOf } from '@tidings/providers/registry'
import { KAFKA_SASL } from './kafka-sasl.ts'
import { callMsOrNull, closed, daysOrNull, limit, list, orNull, perHour, perSecond, providersOf, text, whole } from './setting-types.ts'

const MASTER_KEY = '^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$'
/** What is added is a plus and 41 characters, and a local part has at most 64 (RFC 5321 §4.5.3.1.1). */
const RETURN_PATH = '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*(?<=^.{1,22})@([A-Za-z0-9-]{1,63}\\.)+[A-Za-z0-9-]{2,63}$'
const LOG_ANCHOR = '^(file:///[^\\s%?#]+|https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/\\S*)?)$'
const NETWORK = '^([0-9a-fA-F:.]+(/[0-9]{1,3})?|loopback|linklocal|uniquelocal)$'

/** Every setting of `tidings.defaults.yaml`: the one place that says its type, its variable and what it must be. */
export const configSchema = closed({
  environment: text('NODE_ENV', '^[a-z]+$', 'a word such as development or production'),
  processes: Type.Union([Type.Integer({ minimum: 1, maximum: 128 }), Type.Literal('auto')], {
    env: 'TIDINGS_PROCESSES',
    must: 'a whole number from 1 to 128, or auto',
  }),
  http: closed({
    host: text('HOST', '^[^\\s:/[\\]]+$|^[0-9a-fA-F:.]+$|^\\[[0-9a-fA-F:.]+\\]$', 'a host name or an address'),
    port: whole('PORT', 0, 65_535),
    adminPort: Type.Union([Type.Integer({ minimum: 0, maximum: 65_535 }), Type.Null()], {
      env: 'TIDINGS_ADMIN_PORT',
      must: 'a whole number from 0 to 65535',
    }),
    publicUrl: orNull('TIDINGS_PUBLIC_URL', '^https?://[^\\s?#]+$', { must: 'an address that starts with http:// or https://' }),
    trustProxy: list('TIDINGS_TRUST_PROXY', Type.String({ pattern: NETWORK }), { must: 'addresses or networks such as 10.0.0.0/8' }),
    bodyLimitBytes: whole('TIDINGS_BODY_LIMIT_BYTES', 1_024, 1_073_741_824),
    bodyBudgetBytes: whole('TIDINGS_BODY_BUDGET_BYTES', 1_024, 17_179_869_184),
    dashboard: whole('TIDINGS_DASHBOARD', 0, 1),
    drainSeconds: whole('TIDINGS_DRAIN_SECONDS', 0, 60),
  }),
  rateLimit: closed({
    default: limit('TIDINGS_RATE_LIMIT_DEFAULT'),
    key: limit('TIDINGS_RATE_LIMIT_KEY'),
    forms: limit('TIDINGS_RATE_LIMIT_FORMS'),
    session: limit('TIDINGS_RATE_LIMIT_SESSION'),
  }),
  storage: closed({
    dataDir: text('TIDINGS_DATA_DIR', '.', 'the path of a folder'),
    databaseUrl: orNull('TIDINGS_DATABASE_URL', '^postgres(ql)?://.', { must: 'an address that starts with postgres://', secret: true }),
    readDatabaseUrls: list('TIDINGS_READ_DATABASE_URL', Type.String({ pattern: '^postgres(ql)?://.' }), {
      must: 'addresses that start with postgres://, with commas between them',
      secret: true,
    }),
    readLagSeconds: whole('TIDINGS_READ_LAG_SECONDS', 1, 600),
    embeddedBuffersMb: Type.Union([Type.Integer({ minimum: 16, maximum: 1_048_576 }), Type.Null()], {
      env: 'TIDINGS_EMBEDDED_BUFFERS_MB',
      must: 'a whole number of megabytes from 16 to 1048576',
    }),
    poolSize: whole('TIDINGS_DATABASE_POOL_SIZE', 2, 1_000),
    waitMs: whole('TIDINGS_DATABASE_WAIT_MS', 1_000, 300_000),
    eventStore: Type.String({
      env: 'TIDINGS_EVENT_STORE',
      pattern: '^(postgres|(esdb|kurrentdb)(\\+discover)?://.+)$',
      must: '`postgres` or an address that starts with esdb://',
      secret: true,
    }),
  }),
  kafka: closed({
    brokers: list('TIDINGS_KAFKA_BROKERS', Type.String({ pattern: '^[^\\s:,]+:[0-9]{1,5}$' }), { must: 'host:port pairs' }),
    prefix: text('TIDINGS_KAFKA_PREFIX', '^[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}$', 'letters, digits, dots, dashes and underscores'),
    partitions: whole('TIDINGS_KAFKA_PARTITIONS', 1, 1_000),
    tls: Type.Union([Type.Integer({ minimum: 0, maximum: 1 }), Type.String({ pattern: '[/.]' }), Type.Null()], {
      env: 'TIDINGS_KAFKA_TLS',
      must: '1, or the path of a file with the certificates of the CAs to trust',
    }),
    sasl: orNull('TIDINGS_KAFKA_SASL', KAFKA_SASL.source, {
      must: '`plain`, `scram-sha-256` or `scram-sha-512`, a user and a password, as mechanism:user:password',
      secret: true,
    }),
  }),
  email: closed({
    provider: providersOf('TIDINGS_EMAIL_PROVIDER', providerKinds.email),
    from: orNull('TIDINGS_EMAIL_FROM', '^[^\\s@<>]+@[^\\s@<>]+$', { must: 'an email address' }),
    ...settingsOf(providerKinds.email),
    rate: perSecond('TIDINGS_EMAIL_RATE', 'mails'),
    returnPath: orNull('TIDINGS_RETURN_PATH', RETURN_PATH, {
      must: 'an address such as bounces@example.com, with at most 22 letters, digits, dots, dashes and underscores before the @',
    }),
    bounceMailbox: orNull('TIDINGS_BOUNCE_MAILBOX', '^imaps?://[^\\s/@]+@\\S+$', {
      must: 'an address with a user and a password that starts with imap:// or imaps://',
      secret: true,
    }),
    timeoutMs: whole('TIDINGS_PROVIDER_TIMEOUT_MS', 100, 300_000),
  }),
  sms: closed({
    provider: providersOf('TIDINGS_SMS_PROVIDER', providerKinds.sms),
    ...settingsOf(providerKinds.sms),
    rate: perSecond('TIDINGS_SMS_RATE', 'messages'),
    timeoutMs: callMsOrNull('TIDINGS_SMS_TIMEOUT_MS'),
  }),
  voice: closed({
    provider: providersOf('TIDINGS_VOICE_PROVIDER', providerKinds.voice),
    ...settingsOf(providerKinds.voice),
    timeoutMs: callMsOrNull('TIDINGS_VOICE_TIMEOUT_MS'),
  }),
  push: closed({
    provider: orNull('TIDINGS_PUSH_PROVIDER', settingPattern(providerKinds.push), { must: settingMust(providerKinds.push, '`') }),
    ...settingsOf(providerKinds.push),
    timeoutMs: callMsOrNull('TIDINGS_PUSH_TIMEOUT_MS'),
  }),
  forms: closed({
    confirmationsPerHour: whole('TIDINGS_FORM_CONFIRMATIONS_PER_HOUR', 1, 1_000_000),
  }),
  sending: closed({
    allowOutbox: Type.Union(
      [Type.Integer({ minimum: 0, maximum: 1 }), Type.String({ pattern: '^(email|sms|voice|push)(,(email|sms|voice|push))*$' })],
      {
        env: 'TIDINGS_ALLOW_OUTBOX',
        must: '0, 1, or some of email, sms, voice and push with commas',
      },
    ),
    retrySeconds: list('TIDINGS_SEND_RETRY_SECONDS', Type.Integer({ minimum: 1, maximum: 604_800 }), {
      must: 'whole numbers of seconds, each from 1 to 604800',
    }),
  }),
  passcodes: closed({
    workspacePerHour: perHour('TIDINGS_PASSCODES_PER_WORKSPACE'),
    prefixPerHour: perHour('TIDINGS_PASSCODES_PER_PREFIX'),
  }),
  credits: closed({
    low: whole('TIDINGS_LOW_CREDITS', 0, 1_000_000_000),
  }),
  webhooks: closed({
    backoffMs: whole('TIDINGS_WEBHOOK_BACKOFF_MS', 1, 3_600_000),
    timeoutMs: whole('TIDINGS_WEBHOOK_TIMEOUT_MS', 100, 60_000),
    allowLocal: whole('TIDINGS_WEBHOOK_ALLOW_LOCAL', 0, 1),
    standardHeaders: whole('TIDINGS_WEBHOOK_STANDARD_HEADERS', 0, 1),
    endpoints: whole('TIDINGS_WEBHOOK_ENDPOINTS', 1, 10_000),
    backlog: whole('TIDINGS_WEBHOOK_BACKLOG', 1, 10_000_000),
  }),
  dns: closed({
    servers: list(
      'TIDINGS_DNS_SERVERS',
      Type.String({ pattern: '^([0-9.]+(:[0-9]{1,5})?|[0-9a-fA-F:]+|\\[[0-9a-fA-F:]+\\](:[0-9]{1,5})?)$' }),
      {
        must: 'addresses of DNS servers, each with a port or without',
      },
    ),
    blocklists: list(
      'TIDINGS_DOMAIN_BLOCKLISTS',
      Type.String({ pattern: '^([A-Za-z0-9_-]{1,63}\\.)+[A-Za-z0-9-]{1,63}$', maxLength: 200 }),
      {
        must: 'names of DNS zones',
      },
    ),
  }),
  proof: closed({
    anchor: orNull('TIDINGS_LOG_ANCHOR', LOG_ANCHOR, {
      must: 'an address that starts with file:/// or https://',
      secret: true,
    }),
  }),
  retention: closed({
    contentDays: whole('TIDINGS_RETENTION_CONTENT_DAYS', 1, 36_500),
    // This is longer than a message may wait to be sent.
    smallContentDays: daysOrNull('TIDINGS_RETENTION_SMALL_CONTENT_DAYS', 14),
    clientDetailsDays: daysOrNull('TIDINGS_RETENTION_CLIENT_DETAILS_DAYS', 1),
  }),
  secrets: closed({
    masterKey: orNull('TIDINGS_MASTER_KEY', MASTER_KEY, { must: '32 bytes, as 64 hex digits or as base64', secret: true }),
    previousMasterKeys: list('TIDINGS_PREVIOUS_MASTER_KEYS', Type.String({ pattern: MASTER_KEY }), {
      must: 'keys of 32 bytes, as 64 hex digits or as base64',
      secret: true,
    }),
    providerSecret: orNull('TIDINGS_PROVIDER_SECRET', '^.{16,}$', { must: 'at least 16 characters', secret: true }),
  }),
  log: closed({
    level: text(
      'TIDINGS_LOG_LEVEL',
      '^(trace|debug|info|warn|error|fatal|silent)$',
      'one of trace, debug, info, warn, error, fatal and silent',
    ),
  }),
})

/** Every setting with its value in this process. */
export type Config = Static<typeof configSchema>
