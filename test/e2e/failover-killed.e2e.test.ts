import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { freePort, type ServiceProcess, startProcess } from './support/service-process.ts'

/** The first has so many sessions, and each has one mail in its hands. */
const SESSIONS = 2
const FILE = `workspace: { slug: acme, name: Acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
`

let database: TestDatabase
let [first, second]: SmtpSink[] = []
let installation: Installation
let service: ServiceProcess
let client: Client
beforeAll(async () => {
  database = await testDatabase()
  ;[first, second] = await Promise.all([startSmtpSink(), startSmtpSink()])
  installation = await install(database.url, {
    TIDINGS_EMAIL_PROVIDER: `${first?.url},${second?.url}`,
    TIDINGS_SMTP_CONNECTIONS: String(SESSIONS),
    // However slow this machine is, no mail counts as in doubt before the kill.
    TIDINGS_PROVIDER_TIMEOUT_MS: '300000',
  })
  await start()
  client = clientOf({ url: service.url, applied: (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied'] })
})
afterAll(async () => {
  await service?.end('SIGKILL')
  await installation?.close()
  await Promise.all([first?.stop(), second?.stop()])
  await database?.drop()
})

const start = async (): Promise<void> => {
  service = await startProcess({ ...installation.env, PORT: String(await freePort()) })
  if (client !== undefined) client = clientOf({ url: service.url, applied: client.applied })
}
const labelOf = (sink: SmtpSink | undefined): string => new URL(sink?.url ?? '').host
const takenBy = (sink: SmtpSink | undefined): readonly string[] => sink?.mails.flatMap(({ to }) => to) ?? []

type JobRow = Readonly<{ deferred_for: string | null; handed_to: string | null }>
const jobs = async (): Promise<readonly JobRow[]> =>
  (await installation.pool.query<JobRow>("select deferred_for, handed_to from inbox.job where kind = 'send-email'")).rows

/** Those of the process that was killed: what it had asked for may still be carried out, and give a lease anew. */
const sessionsOfService = async (): Promise<number> =>
  (await installation.pool.query(`select from pg_stat_activity where datname = current_database() and application_name like 'tidings%'`))
    .rowCount ?? 0

/** What `message why` says of who took it. */
const sentBy = async (id: string): Promise<readonly string[]> => {
  const { facts } = (await installation.tidings(['message', 'why', '--workspace', 'acme', '--id', id])) as {
    facts: readonly Readonly<{ says: string }>[]
  }
  return facts.flatMap(({ says }) => /^sent: (\S+) took it/.exec(says)?.[1] ?? [])
}

it('what the first relay has in its hands when the process is killed goes to no other, and what waited leaves by the second', async () => {
  const inHands: string[] = []
  if (first !== undefined)
    first.answers.data = async ({ to }) => {
      inHands.push(...to)
      await new Promise(() => undefined)
      return undefined
    }
  const addresses = Array.from({ length: 8 }, (_, n) => `person-${n}@example.com`)
  const ids = new Map<string, string>()
  for (const to of addresses) ids.set(to, await client.send(to))
  await until(() => expect(inHands).toHaveLength(SESSIONS))

  await service.end('SIGKILL')
  await first?.stop()
  await eventually(sessionsOfService, (left) => left === 0)
  // No process renews the leases of the dead one: they end here, not half a minute later.
  await installation.pool.query('update inbox.job set due_at = clock_timestamp() where token is not null')
  await installation.pool.query('update inbox.bundle set due_at = clock_timestamp()')
  await start()

  const others = addresses.filter((to) => !inHands.includes(to))
  await eventually(
    async () => takenBy(second).toSorted(),
    (taken) => taken.length === others.length,
  )
  expect(takenBy(second).toSorted()).toEqual(others.toSorted())
  for (const to of others) await client.messageWith(ids.get(to) ?? '', 'sent')
  const isBound = ({ deferred_for, handed_to }: JobRow): boolean => deferred_for === 'own_provider_outage' && handed_to === labelOf(first)
  await eventually(jobs, (all) => all.length === SESSIONS && all.every(isBound))
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  expect(metrics).toContain(`tidings_provider_outage{channel="email",provider="${labelOf(first)}"} 1`)
  expect(metrics).toContain(
    `tidings_provider_calls_total{channel="email",provider="${labelOf(second)}",result="accepted"} ${others.length}`,
  )
  // What a contact is sent after it was not handed over: it does not wait for the first.
  const [to = ''] = inHands
  const later = await client.send(to)
  await client.messageWith(later, 'sent')
  expect(await sentBy(later)).toEqual([labelOf(second)])
  expect(takenBy(first)).toEqual([])

  if (first !== undefined) delete first.answers.data
  await first?.start()
  for (const to of inHands) await client.messageWith(ids.get(to) ?? '', 'sent')
  expect(takenBy(first).toSorted()).toEqual(inHands.toSorted())
  expect(takenBy(second).toSorted()).toEqual([...others, to].toSorted())
  expect(await sentBy(ids.get(inHands[0] ?? '') ?? '')).toEqual([labelOf(first)])
  expect(await sentBy(ids.get(others[0] ?? '') ?? '')).toEqual([labelOf(second)])
})
