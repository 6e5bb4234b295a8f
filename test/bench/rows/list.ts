import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { putSecrets } from '@tidings/config'
import { createPool } from '@tidings/postgres'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { MASTER_KEY, WORKSPACE_ID } from '../lib/engine.ts'
import { type ListClient, listClient, timed } from '../lib/list-client.ts'
import { percentile, type ReportRow, row } from '../lib/report.ts'
import { residentPeak } from '../lib/resident-peak.ts'
import { type Service, startService } from '../lib/service.ts'
import { tidings } from '../lib/workspace.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

const CALLERS = 4
const SAMPLES = 100
const A_CALL = 100

const FILE = `workspace: { slug: bench, name: Bench }
apiKeys: [{ name: bench }]
lists: [{ name: big, type: static }]
`

type Applied = Readonly<{ apiKeys: readonly { key: string }[]; lists: Readonly<Record<string, string>> }>

const provision = async ({ dataDir, url }: Service): Promise<ListClient> => {
  const file = join(dataDir, 'workspace.yaml')
  await writeFile(file, FILE)
  const { apiKeys, lists } = await tidings<Applied>(dataDir, ['apply', '-f', file])
  return listClient({ url, key: apiKeys[0]?.key ?? '', listId: lists.big ?? '' })
}

/** Contacts as the log would have them, written past HTTP: what is measured is lists. */
const fillContacts = async (service: Service, { profiles }: ListClient, contacts: number): Promise<readonly string[]> => {
  const log: Omit<WriteLogInput, 'url'> = { mix: 'personal', contacts, first: 1, later: 0 }
  await runScript<WriteLogAnswer>('workers/write-log.ts', { url: service.databaseUrl, ...log } satisfies WriteLogInput)
  while ((await profiles('limit=1')).total < contacts) await sleep(200)
  const pool = createPool({ url: service.databaseUrl, max: 1, name: 'bench-ids' })
  const { rows } = await pool.query<{ id: string }>('select id from read.profiles where workspace_id = $1', [WORKSPACE_ID])
  await pool.end()
  return rows.map(({ id }) => id)
}

/** Every contact is added once, 100 a call; answers the milliseconds of each call, in their order. */
const addAll = async ({ add }: ListClient, ids: readonly string[], say: Bench['say']): Promise<readonly number[]> => {
  const took: number[] = []
  let next = 0
  const caller = async (): Promise<void> => {
    for (let from = next; from < ids.length; from = next) {
      next += A_CALL
      const batch = ids.slice(from, from + A_CALL)
      const [{ added }, milliseconds] = await timed(() => add(batch))
      if (added !== batch.length) throw new Error(`added ${added} of ${batch.length}`)
      took.push(milliseconds)
      if (took.length % 1_000 === 0)
        say(`${took.length * A_CALL} added, p50 of the last thousand calls ${percentile(took.slice(-1_000), 0.5).toFixed(1)} ms`)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return took
}

const repeated = async (times: number, call: (n: number) => Promise<unknown>): Promise<readonly number[]> => {
  const took: number[] = []
  for (let n = 0; n < times; n++) took.push((await timed(() => call(n)))[1])
  return took
}

const p50 = (name: string, took: readonly number[]): ReportRow => row(name, 'ms', percentile(took, 0.5))
const p95 = (name: string, took: readonly number[]): ReportRow => row(name, 'ms', percentile(took, 0.95))

/** `n`-th hundred of the contacts, spread over all of them. */
const hundred = (ids: readonly string[], n: number): readonly string[] =>
  Array.from({ length: A_CALL }, (_, i) => ids[(n * A_CALL + i * 7_919) % ids.length] ?? '')

const readRows = async ({ profiles, lists }: ListClient, members: number): Promise<readonly ReportRow[]> => [
  p95('first page of 200 members, p95', await repeated(SAMPLES, () => profiles('segment&limit=200'))),
  p95('  the same by email, p95', await repeated(SAMPLES, () => profiles('segment&limit=200&sort=email'))),
  p95('  the page in the middle, p95', await repeated(10, () => profiles(`segment&limit=200&offset=${members >> 1}`))),
  p95('lists with their counts, p95', await repeated(SAMPLES, lists)),
]

const writeRows = async ({ add, remove }: ListClient, ids: readonly string[]): Promise<readonly ReportRow[]> => [
  p50('100 who are members already, p50', await repeated(SAMPLES, (n) => add(hundred(ids, n)))),
  p50('remove 100, p50', await repeated(SAMPLES, (n) => remove(hundred(ids, n)))),
]

/** One list of `members`: what it costs to fill it, to change it and to read it, over HTTP. */
export function list(members: number): Group {
  return {
    name: `a list of ${members.toLocaleString('en')} members`,
    run: async (bench): Promise<readonly ReportRow[]> => {
      const dataDir = await bench.folder()
      await putSecrets(dataDir, { masterKey: MASTER_KEY })
      const service = await startService(bench, { dataDir })
      const client = await provision(service)
      bench.say('writing the contacts')
      const ids = await fillContacts(service, client, members)
      const peak = residentPeak(service.pid)
      const began = performance.now()
      const took = await addAll(client, ids, bench.say)
      const seconds = (performance.now() - began) / 1_000
      const reads = await readRows(client, members)
      const writes = await writeRows(client, ids)
      const megabytes = await peak.stop()
      await service.stop()
      const again = await startService(bench, { dataDir })
      const cold = { ...client, ...listClient({ ...client.access, url: again.url }) }
      return [
        row('members added a second, 100 a call, 4 callers', '/s', members / seconds),
        p50('  a call among the first hundred, p50', took.slice(0, SAMPLES)),
        p50('  a call among the last hundred, p50', took.slice(-SAMPLES)),
        ...writes,
        p50('  after a restart: remove 100, p50', await repeated(SAMPLES, (n) => cold.remove(hundred(ids, n + SAMPLES)))),
        ...reads,
        row('resident memory of the service, at most', 'MB', megabytes),
      ]
    },
  }
}
