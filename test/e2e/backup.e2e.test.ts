import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer, Client } from './support/client.ts'
import { clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'

type Summary = Readonly<{ events: number; head: string; masterKeyIncluded: boolean; secretsLeftOut: readonly string[] }>

const GREETING = { html: '<p>Hello</p>', subject: 'Hello' }

let folder: string
let databases: readonly TestDatabase[]
let sinks: readonly SmtpSink[]
let before: Installation
let after: Installation
let first: ServiceProcess
let second: ServiceProcess
let acme: Client
let restored: Client
let backedUp: Summary

/** Whether a job waits, or a consumer has not read the whole log: itself, or what came of it in each partition of its topic. */
const WORK_LEFT = `select exists (select from inbox.job) or exists (select from inbox.bundle) or exists (
  select from ops.consumer_checkpoint c left join lateral (
    select min(position_commit) as reached from ops.consumer_partition p where p.consumer_group = c.consumer_group and c.relay is not null) t on true
  where coalesce(t.reached, c.position_commit) < (select max(position) from es.event)) as left`

/** Ids and answers from before the backup began. */
const known = { profiles: [] as string[], sent: [] as string[], queued: [] as string[], once: undefined as Answer | undefined }

const onceUnder = (client: Client): Promise<Answer> =>
  client.request(
    'POST',
    '/public/messages/email',
    { to: 'once@example.com', fromEmail: acme.fromEmail, ...GREETING },
    { 'Idempotency-Key': 'k1' },
  )

const upsert = async (email: string): Promise<string> =>
  ((await acme.request('PUT', '/public/profiles', { email, firstName: `Name of ${email}` })).body.data as { id: string }).id

/** Writes without a pause until it is asked to stop; tells how much it wrote. */
const keepWriting = (): (() => Promise<number>) => {
  let stopped = false
  const writing = (async () => {
    for (let n = 0; ; n++) {
      if (stopped) return n
      await upsert(`meanwhile-${n}@example.com`)
    }
  })()
  return () => {
    stopped = true
    return writing
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-backup-'))
  databases = await Promise.all([testDatabase(), testDatabase()])
  sinks = await Promise.all([startSmtpSink(), startSmtpSink()])
  before = await install(databases[0]?.url ?? '', {
    TIDINGS_EVENT_STORE: 'postgres',
    TIDINGS_EMAIL_PROVIDER: sinks[0]?.url ?? '',
    // What the provider does not answer is still under way at the end of the backup, however long that takes.
    TIDINGS_PROVIDER_TIMEOUT_MS: '300000',
  })
  after = await install(databases[1]?.url ?? '', { TIDINGS_EVENT_STORE: 'postgres', TIDINGS_EMAIL_PROVIDER: sinks[1]?.url ?? '' })
  first = await before.start()
  acme = await before.workspace('acme')
})
afterAll(async () => {
  await first.end('SIGKILL')
  await second?.end('SIGTERM')
  await Promise.all([before.close(), after.close(), ...sinks.map((sink) => sink.stop())])
  await Promise.all(databases.map((database) => database.drop()))
  await rm(folder, { recursive: true })
})

it('a backup is taken while the service writes and sends', async () => {
  for (let n = 0; n < 5; n++) known.profiles.push(await upsert(`known-${n}@example.com`))
  known.sent.push(await acme.send('sent-1@example.com'), await acme.send('sent-2@example.com'))
  for (const id of known.sent) await acme.messageWith(id, 'sent')
  known.once = await onceUnder(acme)
  await acme.messageWith((known.once.body.data as { messageId: string }).messageId, 'sent')
  // The provider takes the mail and says nothing from here on: a worker has these messages when the backup is made.
  const [sink] = sinks
  if (sink) sink.answers.data = () => new Promise(() => undefined)
  known.queued.push(await acme.send('queued-1@example.com'), await acme.send('queued-2@example.com'))

  const stopWriting = keepWriting()
  backedUp = (await before.tidings(['backup', join(folder, 'backup')])) as Summary
  expect(await stopWriting()).toBeGreaterThan(0)
  expect(backedUp).toMatchObject({ masterKeyIncluded: false, secretsLeftOut: expect.arrayContaining(['TIDINGS_MASTER_KEY']) })
  expect(Number(backedUp.head)).toBe(backedUp.events)
})

it('restored into an empty installation, everything that was answered before it is read as before, at once', async () => {
  const pages = ['/public/me', '/public/sender-addresses', ...known.profiles.map((id) => `/public/profiles/${id}`)]
  const paths = [...pages, '/public/profiles/lookup?email=known-3@example.com', ...known.sent.map((id) => `/public/messages/${id}`)]
  const read = (client: Client) => Promise.all(paths.map(async (path) => (await client.request('GET', path)).body))
  const wanted = await read(acme)
  await first.end('SIGKILL')
  expect(await after.tidings(['restore', join(folder, 'backup')])).toMatchObject({ events: backedUp.events, head: backedUp.head })
  second = await after.start()
  restored = clientOf({ url: second.url, applied: acme.applied, shown: after.shown })
  expect(await read(restored)).toEqual(wanted)
})

it('what was sent before is not sent again, and what waited is sent once', async () => {
  for (const id of known.queued) await restored.messageWith(id, 'sent')
  await eventually(
    async () => (await after.pool.query<{ left: boolean }>(WORK_LEFT)).rows,
    ([row]) => row?.left === false,
  )
  expect(sinks[1]?.mails.flatMap(({ to }) => to).sort()).toEqual(['queued-1@example.com', 'queued-2@example.com'])
})

it('a request repeated under its Idempotency-Key after the restore is not done a second time', async () => {
  const again = await onceUnder(restored)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(known.once?.body)
})

it('the life of the installation goes on: addresses belong to whom they belonged, and new mail is sent', async () => {
  const profile = await restored.request('PUT', '/public/profiles', { email: 'known-0@example.com', firstName: 'Ada' })
  expect(profile.body.data).toMatchObject({ id: known.profiles[0], firstName: 'Ada' })
  await restored.messageWith(await restored.send('new@example.com'), 'sent')
})

it('restore refuses an installation that holds something', async () => {
  await expect(after.tidings(['restore', join(folder, 'backup')])).rejects.toThrow(
    'This installation is not empty (there are rows in es.event): restore into a new data directory or database.',
  )
})
