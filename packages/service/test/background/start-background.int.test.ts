import { loadConfig, OperationFailed } from '@tidings/config'
import { logTo } from '@tidings/observability/log'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parts } from '../../src/background/parts.ts'
import { ROLES } from '../../src/roles.ts'
import { startService } from '../../src/start-service.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

/** Its setting of TLS is unknown. */
const UNUSABLE = 'imaps://u:p@mail.example/INBOX?tls=maybe'

test('a part that cannot start ends those that have: the service says why, and leaves no connection and no lease', async () => {
  const env = {
    TIDINGS_DATABASE_URL: db.url,
    TIDINGS_MASTER_KEY: '11'.repeat(32),
    TIDINGS_RETURN_PATH: 'bounces@example.com',
    TIDINGS_BOUNCE_MAILBOX: UNUSABLE,
  }
  const lines: string[] = []
  const log = logTo({ write: (line: string) => void lines.push(line) }, 'debug')
  await expect(startService({ config: loadConfig(env, null), log, roles: new Set(ROLES), alone: true })).rejects.toThrow('unknown tls')
  const said = lines.map((line) => JSON.parse(line) as Readonly<{ level: string; msg: string; part?: string }>)
  const names = parts.map(({ name }) => name)
  expect(said.flatMap(({ part }) => part ?? [])).toEqual(names.slice(0, names.indexOf('bounces')))
  // A machine that stands still says more than that, of what is tried again.
  expect(said.filter(({ level, msg }) => level === 'error' && !/again|late/.test(msg))).toEqual([])
  const connections = () =>
    db.pool.query("select from pg_stat_activity where datname = current_database() and application_name ~ '^tidings'")
  await expect.poll(async () => (await connections()).rowCount).toBe(0)
  const { rows } = await db.pool.query('select consumer_group from ops.consumer_checkpoint where lease_until > clock_timestamp()')
  expect(rows).toEqual([])
})

test.each([
  [{ TIDINGS_EMAIL_PROVIDER: 'smtp://u:hunter2@mail.example?tls=maybe' }, 'TIDINGS_EMAIL_PROVIDER'],
  [{ TIDINGS_SMS_PROVIDER: 'smpp://u:hunter2@smsc.example?windw=1' }, 'TIDINGS_SMS_PROVIDER'],
  [{ TIDINGS_VOICE_PROVIDER: 'twilio://u:hunter2@voice.example?protocol=ftp' }, 'TIDINGS_VOICE_PROVIDER'],
  [
    { TIDINGS_RETURN_PATH: 'bounces@example.com', TIDINGS_BOUNCE_MAILBOX: 'imaps://u:hunter2@mail.example?verify=no' },
    'TIDINGS_BOUNCE_MAILBOX',
  ],
])('an address that cannot be used is one sentence for the operator, which names its setting: %j', async (set, setting) => {
  const env = { TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32), ...set }
  const starting = startService({
    config: loadConfig(env, null),
    log: logTo({ write: () => undefined }, 'silent'),
    roles: new Set(ROLES),
    alone: true,
  })
  const error: unknown = await starting.catch((refused: unknown) => refused)
  expect(error).toBeInstanceOf(OperationFailed)
  expect(String(error)).toMatch(new RegExp(`^OperationFailed: ${setting} cannot be used\\. The [^\\n]*\\.$`))
  expect(String(error)).not.toContain('hunter2')
})
