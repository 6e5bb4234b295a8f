import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Counts } from '@tidings/people'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type EventStoreProcess, startEventStoreProcess } from '@tidings/testing/eventstoredb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { cliCommand, launchProcess, type ServiceProcess } from './support/service-process.ts'

// An import of people into a log in EventStoreDB (M67).

const PEOPLE = 3_000

let database: TestDatabase
let folder: string
let store: EventStoreProcess
let installation: Installation
let service: ServiceProcess
let file: string
beforeEach(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))])
  store = await startEventStoreProcess({ data: join(folder, 'events') })
  // The service waits for a log that is away; the command does so for a second.
  installation = await install(database.url, { TIDINGS_EVENT_STORE: store.connectionString, TIDINGS_DATABASE_WAIT_MS: '1000' })
  service = await installation.start()
  await installation.tidings(['apply', '-f', '-'], 'workspace: { slug: acme, name: Acme }')
  file = join(folder, 'people.csv')
  const lines = Array.from({ length: PEOPLE }, (_, n) => `kill${n}@people.example,Kill ${n},subscribed,till,2024-05-01`)
  const header = 'email,lastName,emailConsent,emailConsentSource,emailConsentTimestamp'
  await writeFile(file, [header, ...lines, 'no address', ''].join('\n'))
})
afterEach(async () => {
  await service?.end('SIGTERM')
  await installation.close()
  await store.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const numberOf = async (table: string): Promise<number> =>
  Number((await installation.pool.query(`select count(*) from ${table}`)).rows[0]?.count)
const importing = (): ServiceProcess =>
  launchProcess(installation.env, cliCommand(['contact', 'import', file, '--workspace', 'acme', '--json']))
const untilSomeAreThere = () =>
  eventually(
    () => numberOf('read.profiles'),
    (count) => count > 0,
  )

/** The whole file is counted, and each person has come once, with one consent. */
const expectWhole = async (): Promise<void> => {
  const counts = (await installation.tidings(['contact', 'import', file, '--workspace', 'acme'])) as Counts
  const refused = [{ line: PEOPLE + 2, why: 'email must be an email' }]
  expect(counts).toEqual({ read: PEOPLE + 1, created: PEOPLE, updated: 0, unchanged: 0, refused, refusedCount: 1 })
  await eventually(
    async () => [await numberOf('read.profiles'), await numberOf('read.consent_history')],
    ([people, said]) => people === PEOPLE && said === PEOPLE,
  )
  expect(await numberOf('ops.people_import')).toBe(0)
  const again = await installation.tidings(['contact', 'import', file, '--workspace', 'acme'])
  expect(again).toMatchObject({ created: 0, updated: 0, unchanged: PEOPLE })
}

it('goes on where kill -9 ended it, and none is there twice', async () => {
  const command = importing()
  await untilSomeAreThere()
  await command.end('SIGKILL')
  await expectWhole()
})

it('ends with one sentence where the log stays away, and goes on when it is back', async () => {
  const command = importing()
  await untilSomeAreThere()
  await store.kill()
  const { code, stdout, stderr } = await command.end('SIGCONT')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
  expect(said).toEqual([
    expect.stringMatching(
      /^The log or the database does not answer \(.*\): run the command again when it does\. With the same file it goes on where it was\.$/,
    ),
  ])
  await store.start()
  await expectWhole()
})
