import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseKafkaSasl } from '../src/kafka-sasl.ts'
import { assertEmailProvider, assertMasterKey, ConfigError, hasProvider, loadConfig, providerTimeoutMs } from '../src/load-config.ts'
import { publicUrl } from '../src/public-url.ts'
import { settings } from '../src/settings.ts'

const KEY = 'ab'.repeat(32)

const folder = mkdtempSync(join(tmpdir(), 'tidings-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: string): string {
  const path = join(folder, 'tidings.yaml')
  writeFileSync(path, content)
  return path
}

test('with nothing set every setting has the default of the commented file', () => {
  const config = loadConfig({}, null)
  expect(config.http).toMatchObject({ host: '127.0.0.1', port: 3000, bodyLimitBytes: 8 * 1024 * 1024 })
  expect(config.storage).toMatchObject({ dataDir: '.tidings', databaseUrl: null, eventStore: 'postgres' })
  expect(config.rateLimit).toEqual({ default: 60, key: 1200, forms: 10, session: 600 })
  expect(config.sending.retrySeconds).toEqual([30, 120, 600, 3600, 21600])
})

test('the commented file names the variable of every setting beside it', () => {
  const lines = readFileSync(new URL('../tidings.defaults.yaml', import.meta.url), 'utf8').split('\n')
  const unnamed = settings.filter(({ path, notes }) => {
    const at = lines.findIndex((line) => line.trimStart().startsWith(`${path.at(-1)}:`) && line.includes(`# ${notes.env}`))
    const above = lines.findIndex((line) => line.trimStart().startsWith(`${path.at(-1)}:`)) - 1
    return at === -1 && !lines[above]?.includes(`# ${notes.env}`)
  })
  expect(unnamed.map(({ notes }) => notes.env)).toEqual([])
  expect(new Set(settings.map(({ notes }) => notes.env)).size).toBe(settings.length)
})

test('a variable wins over the file, and the file over the default', () => {
  const path = file('http:\n  port: 4000\n  host: 0.0.0.0\nrateLimit:\n  key: off\n')
  const config = loadConfig({ TIDINGS_CONFIG: path, PORT: '5000' })
  expect(config.http).toMatchObject({ port: 5000, host: '0.0.0.0' })
  expect(config.rateLimit).toEqual({ default: 60, key: 'off', forms: 10, session: 600 })
})

test('the port for operators may be unset, any, or one that is not PORT', () => {
  const adminPort = (value: string) => loadConfig({ PORT: '4000', TIDINGS_ADMIN_PORT: value }, null).http.adminPort
  expect([adminPort(''), adminPort('0'), adminPort('4001')]).toEqual([null, 0, 4001])
  expect(() => adminPort('4000')).toThrow('TIDINGS_ADMIN_PORT must not be PORT')
  expect(() => adminPort('here')).toThrow('TIDINGS_ADMIN_PORT must be a whole number from 0 to 65535')
})

test('what the embedded Postgres keeps for pages is by the memory of the machine, or as the operator says', () => {
  const buffers = (value: string | undefined) => loadConfig({ TIDINGS_EMBEDDED_BUFFERS_MB: value }, null).storage.embeddedBuffersMb
  expect([buffers(undefined), buffers(''), buffers('16'), buffers('4096')]).toEqual([null, null, 16, 4_096])
})

test('lists are split at commas, `off` and numbers are distinguished, and an empty variable unsets', () => {
  const config = loadConfig({
    TIDINGS_KAFKA_BROKERS: 'a:9092, b:9092',
    TIDINGS_SEND_RETRY_SECONDS: '1,2',
    TIDINGS_RATE_LIMIT_DEFAULT: 'off',
    TIDINGS_TRUST_PROXY: '10.0.0.0/8,::1',
    TIDINGS_DATABASE_URL: '',
    PORT: '',
  })
  expect(config.kafka.brokers).toEqual(['a:9092', 'b:9092'])
  expect(config.sending.retrySeconds).toEqual([1, 2])
  expect(config.rateLimit.default).toBe('off')
  expect(config.http).toMatchObject({ trustProxy: ['10.0.0.0/8', '::1'], port: 3000 })
  expect(config.storage.databaseUrl).toBeNull()
})

test.each([
  [{ PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, not 70000.'],
  [{ PORT: '3e3' }, 'PORT must be a whole number from 0 to 65535, not "3e3".'],
  [{ TIDINGS_RATE_LIMIT_KEY: 'none' }, 'TIDINGS_RATE_LIMIT_KEY must be a whole number of requests a minute, or off, not "none".'],
  [{ TIDINGS_KAFKA_BROKERS: 'kafka' }, 'TIDINGS_KAFKA_BROKERS must be host:port pairs, not ["kafka"].'],
  [
    { TIDINGS_KAFKA_TLS: 'yes' },
    'TIDINGS_KAFKA_TLS must be 1, or the path of a file with the certificates of the CAs to trust, not "yes".',
  ],
  [{ TIDINGS_LOG_LEVEL: 'loud' }, 'TIDINGS_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal and silent, not "loud".'],
  [{ TIDINGS_EMAIL_RATE: '1.5' }, 'TIDINGS_EMAIL_RATE must be a whole number of mails a second from 1 to 100000, not "1.5".'],
  [{ TIDINGS_SMS_RATE: '0' }, 'TIDINGS_SMS_RATE must be a whole number of messages a second from 1 to 100000, not 0.'],
  [{ TIDINGS_EMBEDDED_BUFFERS_MB: '15' }, 'TIDINGS_EMBEDDED_BUFFERS_MB must be a whole number of megabytes from 16 to 1048576, not 15.'],
  [
    { TIDINGS_EMBEDDED_BUFFERS_MB: '1GB' },
    'TIDINGS_EMBEDDED_BUFFERS_MB must be a whole number of megabytes from 16 to 1048576, not "1GB".',
  ],
  [{ TIDINGS_ALLOW_OUTBOX: 'fax' }, 'TIDINGS_ALLOW_OUTBOX must be 0, 1, or some of email, sms, voice and push with commas, not "fax".'],
  [{ TIDINGS_TRUST_PROXY: 'everyone' }, 'TIDINGS_TRUST_PROXY must be addresses or networks such as 10.0.0.0/8, not ["everyone"].'],
])('a wrong value is one sentence with the name of the variable: %j', (env, sentence) => {
  expect(() => loadConfig(env, null)).toThrow(sentence)
})

test.each([
  ['TIDINGS_PUBLIC_URL', 'https://news.example:99999'],
  ['TIDINGS_PUBLIC_URL', 'https://[news.example'],
  ['TIDINGS_PUBLIC_URL', 'https://ada:hunter2@news.example'],
  ['TIDINGS_VAPID_SUBJECT', 'https://news.example:hunter2'],
  ['TIDINGS_LOG_ANCHOR', 'https://anchor.example:99999/heads'],
])('%s cannot be %s, which no client can call', (setting, address) => {
  expect(() => loadConfig({ [setting]: address }, null)).toThrow(
    new ConfigError(`${setting} must be an address that can be called, without a user or a password.`),
  )
})

test.each(['me:12/hunter2@host/db', 'me:12#hunter2@host/db', 'me:hunter2@host:99999/db', 'me:hu/nter2@host/db'])(
  'a database is nowhere at postgres://%s, and the sentence does not repeat it',
  (rest) => {
    const sentence = /^TIDINGS_DATABASE_URL must be an address whose user and password are percent-encoded: [^:]*\.$/
    expect(() => loadConfig({ TIDINGS_DATABASE_URL: `postgres://${rest}` }, null)).toThrow(sentence)
  },
)

test('content may not end while its message is tried again', () => {
  const days = (smallContentDays: string) => ({
    TIDINGS_SEND_RETRY_SECONDS: '604800,604800,604800',
    TIDINGS_RETENTION_SMALL_CONTENT_DAYS: smallContentDays,
  })
  expect(() => loadConfig(days('22'), null)).toThrow(/^TIDINGS_RETENTION_SMALL_CONTENT_DAYS must be at least 23, two days more than .*\.$/)
  expect(loadConfig(days('23'), null).retention.smallContentDays).toBe(23)
  expect(loadConfig(days(''), null).retention.smallContentDays).toBeNull()
})

test('each channel has the time of all providers until it has one of its own', () => {
  const timesOf = (env: Readonly<Record<string, string>>) => {
    const config = loadConfig(env, null)
    return [config.email.timeoutMs, ...(['sms', 'voice', 'push'] as const).map((channel) => providerTimeoutMs(config, channel))]
  }
  expect(timesOf({})).toEqual([10_000, 10_000, 10_000, 10_000])
  expect(timesOf({ TIDINGS_PROVIDER_TIMEOUT_MS: '2000' })).toEqual([2_000, 2_000, 2_000, 2_000])
  const own = { TIDINGS_SMS_TIMEOUT_MS: '300', TIDINGS_VOICE_TIMEOUT_MS: '400', TIDINGS_PUSH_TIMEOUT_MS: '500' }
  expect(timesOf({ ...own, TIDINGS_PROVIDER_TIMEOUT_MS: '2000' })).toEqual([2_000, 300, 400, 500])
  expect(timesOf({ ...own, TIDINGS_VOICE_TIMEOUT_MS: '' })).toEqual([10_000, 300, 10_000, 500])
  expect(() => timesOf({ TIDINGS_SMS_TIMEOUT_MS: '99' })).toThrow(
    'TIDINGS_SMS_TIMEOUT_MS must be a whole number from 100 to 300000, not 99.',
  )
})

test.each([
  [{ TIDINGS_MASTER_KEY: 'hunter2' }, /^TIDINGS_MASTER_KEY must be 32 bytes, as 64 hex digits or as base64\.$/],
  [
    { TIDINGS_EMAIL_PROVIDER: 'imap://me:hunter2@host' },
    /^TIDINGS_EMAIL_PROVIDER must be `outbox`, or an address that starts with [^@]*\.$/,
  ],
  [
    { TIDINGS_EMAIL_PROVIDER: 'smtp://me:hunter2@host,imap://me:hunter3@host' },
    /^TIDINGS_EMAIL_PROVIDER must be `outbox`, or an address that starts with [^@]*, or several such addresses with commas between them\.$/,
  ],
  [{ TIDINGS_EMAIL_PROVIDER: 'outbox,smtp://me:hunter2@host' }, /^TIDINGS_EMAIL_PROVIDER must be `outbox`, or an address that [^@]*\.$/],
  [{ TIDINGS_SMS_PROVIDER: 'https://AC1:hunter2@host' }, /^TIDINGS_SMS_PROVIDER must be `outbox`, or an address that starts with [^@]*\.$/],
  [
    { TIDINGS_VOICE_PROVIDER: 'smpp://u:hunter2@host' },
    /^TIDINGS_VOICE_PROVIDER must be `outbox`, or an address that starts with [^@]*\.$/,
  ],
  [{ TIDINGS_KAFKA_SASL: 'digest:me:hunter2' }, /^TIDINGS_KAFKA_SASL must be `plain`, [^:]*mechanism:user:password\.$/],
  [{ TIDINGS_KAFKA_SASL: 'plain:hunter2' }, /^TIDINGS_KAFKA_SASL must be `plain`, [^:]*mechanism:user:password\.$/],
  [
    { TIDINGS_DATABASE_URL: 'postgres://db/t', TIDINGS_READ_DATABASE_URL: 'postgres://a/t,mysql://me:hunter2@host' },
    /^TIDINGS_READ_DATABASE_URL must be addresses that start with postgres:\/\/, with commas between them\.$/,
  ],
  [
    { TIDINGS_DATABASE_URL: 'postgres://db/t', TIDINGS_READ_DATABASE_URL: 'postgres://me:hunter2#x@a/t' },
    /^TIDINGS_READ_DATABASE_URL must be an address whose user and password are percent-encoded: [^:]*\.$/,
  ],
  [{ TIDINGS_READ_DATABASE_URL: 'postgres://a/t' }, /^TIDINGS_READ_DATABASE_URL must not be set without TIDINGS_DATABASE_URL: /],
  [
    { TIDINGS_DATABASE_URL: 'postgres://db/t', TIDINGS_READ_DATABASE_URL: 'postgres://a/t,postgres://db/t' },
    /^TIDINGS_READ_DATABASE_URL must name each replica once, and not the database of TIDINGS_DATABASE_URL\.$/,
  ],
  [
    { TIDINGS_DATABASE_URL: 'postgres://db/t', TIDINGS_READ_DATABASE_URL: 'postgres://me@a/t,postgres://you@A:5432/t?sslmode=require' },
    /^TIDINGS_READ_DATABASE_URL must name each replica once, /,
  ],
  [{ TIDINGS_DATABASE_URL: 'mysql://me:hunter2@host' }, /^TIDINGS_DATABASE_URL must be an address that starts with postgres:\/\/\.$/],
])('a secret is not repeated in the sentence: %j', (env, sentence) => {
  expect(() => loadConfig(env, null)).toThrow(sentence)
})

test.each([
  'postgres://db/tidings',
  'postgres://me:p%2Fw%23@db:5432/tidings?sslmode=require',
  'postgresql://me:pw@/tidings?host=/var/run/postgresql',
])('a database is where %s says', (databaseUrl) => {
  expect(loadConfig({ TIDINGS_DATABASE_URL: databaseUrl }, null).storage.databaseUrl).toBe(databaseUrl)
})

test.each([
  ['http:\n  port: many\n', /^http\.port in .* must be a whole number from 0 to 65535, not "many"\.$/],
  ['http:\n  prot: 1\n', /^http\.prot in .* is not a setting\. The nearest one is http\.port\.$/],
  ['http: 1\n', /^http in .* must be a section of settings\.$/],
  ['- 1\n', /^The content in .* must be a section of settings\.$/],
  ['http: [\n', /^The configuration file .* cannot be read: /],
])('a mistake in the file is one sentence with the name of the field: %j', (content, sentence) => {
  expect(() => loadConfig({}, file(content))).toThrow(sentence)
})

test.each([
  [undefined, null],
  ['', null],
  ['0', 0],
  ['1', 1],
  ['/etc/kafka/ca.pem', '/etc/kafka/ca.pem'],
])('TLS to Kafka is off, on, or on with a CA of one’s own: %j', (text, tls) => {
  expect(loadConfig({ TIDINGS_KAFKA_TLS: text }, null).kafka.tls).toBe(tls)
})

test('a login to Kafka is a mechanism, a user and a password, which may hold colons', () => {
  const { kafka } = loadConfig({ TIDINGS_KAFKA_SASL: 'scram-sha-512:alice:a:b: c,' }, null)
  expect(parseKafkaSasl(kafka.sasl ?? '')).toEqual({ mechanism: 'scram-sha-512', username: 'alice', password: 'a:b: c,' })
  expect(parseKafkaSasl('digest:alice:secret')).toBeNull()
})

test('a named file that is missing is one sentence, and an empty one changes nothing', () => {
  expect(() => loadConfig({ TIDINGS_CONFIG: '/nowhere/tidings.yaml' })).toThrow(
    /^The configuration file \/nowhere\/tidings\.yaml cannot be read: ENOENT/,
  )
  expect(loadConfig({}, file(''))).toEqual(loadConfig({}, null))
})

test('a database of one’s own needs a master key of one’s own', () => {
  const env = { TIDINGS_DATABASE_URL: 'postgres://db/tidings' }
  expect(() => assertMasterKey(loadConfig(env, null))).toThrow(/^TIDINGS_MASTER_KEY must be set when TIDINGS_DATABASE_URL is/)
  const config = loadConfig({ ...env, TIDINGS_MASTER_KEY: KEY }, null)
  expect(config.secrets.masterKey).toBe(KEY)
  expect(() => assertMasterKey(config)).not.toThrow()
  expect(() => assertMasterKey(loadConfig({}, null))).not.toThrow()
})

test('the public address is the configured one, else where the service listens', () => {
  const { http } = loadConfig({}, null)
  expect(publicUrl(http)).toBe('http://127.0.0.1:3000')
  expect(publicUrl({ ...http, host: '::1' })).toBe('http://[::1]:3000')
  expect(publicUrl({ ...http, publicUrl: 'https://api.acme.example/' })).toBe('https://api.acme.example')
})

describe('in production', () => {
  const configOf = (env: Readonly<Record<string, string>>) => loadConfig({ NODE_ENV: 'production', ...env }, null)
  const providers = {
    email: { TIDINGS_EMAIL_PROVIDER: 'smtps://relay.example' },
    sms: { TIDINGS_SMS_PROVIDER: 'smpp://u:p@smsc.example' },
    voice: { TIDINGS_VOICE_PROVIDER: 'twilio://AC1:t@api.twilio.com' },
  }

  test.each(['email', 'sms', 'voice'] as const)('messages of %s stay in the outbox only where that is said', (channel) => {
    const others = ['email', 'sms', 'voice'].filter((name) => name !== channel).join(',')
    expect(hasProvider(configOf({}), channel)).toBe(false)
    expect(hasProvider(configOf({ TIDINGS_ALLOW_OUTBOX: others }), channel)).toBe(false)
    expect(hasProvider(configOf({ TIDINGS_ALLOW_OUTBOX: channel }), channel)).toBe(true)
    expect(hasProvider(configOf({ TIDINGS_ALLOW_OUTBOX: '1' }), channel)).toBe(true)
    expect(hasProvider(configOf(providers[channel]), channel)).toBe(true)
    expect(hasProvider(loadConfig({}, null), channel)).toBe(true)
  })

  test('mail must have a provider, and nothing else must', () => {
    expect(() => assertEmailProvider(configOf({ ...providers.sms, ...providers.voice, TIDINGS_ALLOW_OUTBOX: 'sms,voice' }))).toThrow(
      /^TIDINGS_EMAIL_PROVIDER must be set when NODE_ENV is production, .*: TIDINGS_ALLOW_OUTBOX=email allows it\.$/,
    )
    expect(() => assertEmailProvider(configOf(providers.email))).not.toThrow()
  })
})

describe('the mailbox of bounces', () => {
  const RETURN_PATH = 'bounces@example.com'
  const BOUNCE_MAILBOX = 'imaps://u:hunter2@imap.example.com'

  test('needs the address that names messages; the address needs no mailbox', () => {
    expect(loadConfig({ TIDINGS_RETURN_PATH: RETURN_PATH, TIDINGS_BOUNCE_MAILBOX: BOUNCE_MAILBOX }, null).email).toMatchObject({
      returnPath: RETURN_PATH,
      bounceMailbox: BOUNCE_MAILBOX,
    })
    expect(loadConfig({ TIDINGS_RETURN_PATH: RETURN_PATH }, null).email.bounceMailbox).toBeNull()
    expect(() => loadConfig({ TIDINGS_BOUNCE_MAILBOX: BOUNCE_MAILBOX }, null)).toThrow(/^TIDINGS_RETURN_PATH must be set when/)
  })

  test.each([
    'bounces',
    `${'b'.repeat(23)}@example.com`,
    'bounces+x@example.com',
    'a b@example.com',
    'bounces@localhost',
    'x@-',
    'böunces@example.com',
  ])('mail cannot leave from %s', (address) => {
    expect(() => loadConfig({ TIDINGS_RETURN_PATH: address }, null)).toThrow(/^TIDINGS_RETURN_PATH must be an address such as/)
  })

  test.each(['http://u:hunter2@imap.example.com', 'imaps://imap.example.com', 'hunter2'])('%s is none, and is not shown', (address) => {
    expect(() => loadConfig({ TIDINGS_RETURN_PATH: RETURN_PATH, TIDINGS_BOUNCE_MAILBOX: address }, null)).toThrow(
      /^TIDINGS_BOUNCE_MAILBOX must be (?!.*hunter2)/,
    )
  })
})

describe('the anchor of the log', () => {
  test.each(['file:///mnt/worm/heads', 'https://anchor.example', 'https://anchor.example:8443/heads?of=acme'])('%s is one', (anchor) => {
    expect(loadConfig({ TIDINGS_LOG_ANCHOR: anchor }, null).proof).toEqual({ anchor })
  })

  test.each(['heads', 'file://heads', 'file:///a%2fb', 'http://anchor.example', 'https://u:p@anchor.example', 'https:///heads'])(
    '%s is none',
    (anchor) => {
      expect(() => loadConfig({ TIDINGS_LOG_ANCHOR: anchor }, null)).toThrow(
        'TIDINGS_LOG_ANCHOR must be an address that starts with file:/// or https://.',
      )
    },
  )
})

test.each([
  ['TIDINGS_EMAIL_PROVDER', 'TIDINGS_EMAIL_PROVIDER'],
  ['TIDINGS_DATABSE_URL', 'TIDINGS_DATABASE_URL'],
  ['TIDINGS_EMIAL_RATE', 'TIDINGS_EMAIL_RATE'],
  ['TIDINGS_SMS_PROVIDERS', 'TIDINGS_SMS_PROVIDER'],
  ['TIDINGS_DATADIR', 'TIDINGS_DATA_DIR'],
  ['TIDINGS_POOL_SIZE', 'TIDINGS_DATABASE_POOL_SIZE'],
])('a variable that is no setting stops the start: %s is near %s', (name, nearest) => {
  expect(() => loadConfig({ [name]: 'x' }, null)).toThrow(new ConfigError(`${name} is not a setting. The nearest one is ${nearest}.`))
})

test('a key of the file that is no setting names the nearest one as well', () => {
  expect(() => loadConfig({}, file('email:\n  provder: outbox\n'))).toThrow(
    /email\.provder in .* is not a setting\. The nearest one is email\.provider\./,
  )
})

test.each([
  'TIDINGS_SERVICE_HOST',
  'TIDINGS_SERVICE_PORT_HTTP',
  'TIDINGS_PORT',
  'TIDINGS_PORT_3000_TCP',
  'TIDINGS_PORT_3000_TCP_ADDR',
  'TIDINGS_QUERY_API_SERVICE_PORT',
  'TIDINGS_TEST_REQUIRE',
  'TIDINGS_FROM_SOURCE',
  'TIDINGS_API_KEY',
])('%s is set by others, and no mistake', (name) => {
  expect(loadConfig({ [name]: 'tcp://10.0.0.1:3000' }, null).http.port).toBe(3000)
})

test('an empty variable that is no setting says nothing', () => {
  expect(loadConfig({ TIDINGS_EMAIL_PROVDER: '' }, null).email.provider).toBe('outbox')
})

test.each([
  ['::1', '::1', 'http://[::1]:3000'],
  ['[::1]', '::1', 'http://[::1]:3000'],
  ['[::]', '::', 'http://localhost:3000'],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.1', 'http://[::ffff:127.0.0.1]:3000'],
  ['0.0.0.0', '0.0.0.0', 'http://localhost:3000'],
])('HOST may be %s', (given, host, url) => {
  const { http } = loadConfig({ HOST: given }, null)
  expect([http.host, publicUrl(http)]).toEqual([host, url])
})

test.each(['[::1', '::1]', '[host]', 'a b', 'http://a'])('HOST may not be %s', (given) => {
  expect(() => loadConfig({ HOST: given }, null)).toThrow('HOST must be a host name or an address')
})
