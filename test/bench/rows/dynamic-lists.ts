import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { putSecrets } from '@tidings/config'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { MASTER_KEY, WORKSPACE_ID } from '../lib/engine.ts'
import { percentile, type ReportRow, row } from '../lib/report.ts'
import { residentPeak } from '../lib/resident-peak.ts'
import { type Service, startService } from '../lib/service.ts'
import { tidings } from '../lib/workspace.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

const LISTS = 50
const SAMPLES = 100

type Applied = Readonly<{ apiKeys: readonly { key?: string }[]; lists: Readonly<Record<string, string>> }>

/** 48 lists of one contact in 256, one of one in 16 whom time will move, and one that a property decides. */
const fileOf = (ending: string): string => {
  const list = (name: string, rule: string): string => `  - { name: "${name}", type: dynamic, rule: ${rule} }`
  const endsIn = (text: string): string => `{ field: email, op: contains, value: "${text}@" }`
  const few = Array.from({ length: LISTS - 2 }, (_, n) => list(`few ${n}`, endsIn((n + 16).toString(16).padStart(2, '0'))))
  return `workspace: { slug: bench, name: Bench }
apiKeys: [{ name: bench }]
lists:
${few.join('\n')}
${list('timed', `{ all: [ { field: createdAt, op: within_days, value: 30 }, ${endsIn(ending)} ] }`)}
${list('orders', '{ field: customProperties.orders, op: gte, value: 100 }')}
`
}

const apply = async ({ dataDir }: Service, text: string): Promise<Applied> => {
  const file = join(dataDir, 'workspace.yaml')
  await writeFile(file, text)
  return await tidings<Applied>(dataDir, ['apply', '-f', file])
}

const until = async (pool: Pool, sql: string, values: readonly unknown[] = []): Promise<void> => {
  while ((await pool.query<{ done: boolean }>(`select ${sql} as done`, [...values])).rows[0]?.done !== true) await sleep(10)
}

/** No rule is under way, no review waits, and the read side shows what they wrote. */
const exact = async (pool: Pool): Promise<void> => {
  await until(
    pool,
    `exists (select 1 from lists.rule) and not exists (select 1 from lists.run where finished_at is null)
     and not exists (select 1 from inbox.job where kind = 'dynamic-lists')
     and (select min(position_commit) from ops.projection_checkpoint) >= (select max(position) from es.event)
     and (select position_commit from ops.consumer_checkpoint where consumer_group = 'dynamic-lists') >= (select max(position) from es.event)`,
  )
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

const changeOne = async (service: Service, key: string, id: string): Promise<void> => {
  const answer = await fetch(`${service.url}/api/v1/public/profiles/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-sender-tenant': 'bench', 'x-api-key': key },
    body: JSON.stringify({ customProperties: { orders: 100 } }),
  })
  if (answer.status !== 200) throw new Error(`the change was answered ${answer.status}: ${await answer.text()}`)
}

/** The time from the answer to a change of a contact until it is on the list. */
const joins = async (
  service: Service,
  pool: Pool,
  { applied, key }: Readonly<{ applied: Applied; key: string }>,
): Promise<readonly number[]> => {
  const { rows } = await pool.query<{ id: string }>('select id from read.profiles where workspace_id = $1 limit $2', [
    WORKSPACE_ID,
    SAMPLES,
  ])
  const took: number[] = []
  for (const { id } of rows) {
    await changeOne(service, key, id)
    const sql = 'exists (select 1 from read.list_members where workspace_id = $1 and list_id = $2 and contact_id = $3)'
    took.push(1_000 * (await seconds(() => until(pool, sql, [WORKSPACE_ID, applied.lists.orders, id]))))
  }
  return took
}

const measure = async (bench: Bench, contacts: number): Promise<readonly ReportRow[]> => {
  const dataDir = await bench.folder()
  await putSecrets(dataDir, { masterKey: MASTER_KEY })
  const service = await startService(bench, { dataDir })
  const { apiKeys } = await apply(service, 'workspace: { slug: bench, name: Bench }\napiKeys: [{ name: bench }]\n')
  bench.say('writing the contacts')
  const log: Omit<WriteLogInput, 'url'> = { mix: 'personal', contacts, first: 1, later: 0 }
  await runScript<WriteLogAnswer>('workers/write-log.ts', { url: service.databaseUrl, ...log } satisfies WriteLogInput)
  const pool = createPool({ url: service.databaseUrl, max: 2, name: 'bench-lists' })
  await until(pool, '(select min(position_commit) from ops.projection_checkpoint) >= (select max(position) from es.event)')
  const peak = residentPeak(service.pid)
  bench.say(`${LISTS} rules`)
  const all = await seconds(async () => {
    await apply(service, fileOf('a'))
    await exact(pool)
  })
  const { rows } = await pool.query<{ n: string }>('select count(*) as n from read.list_members')
  bench.say('one changed rule')
  const one = await seconds(async () => {
    await apply(service, fileOf('b'))
    await exact(pool)
  })
  const applied = await apply(service, fileOf('b'))
  const took = await joins(service, pool, { applied, key: apiKeys[0]?.key ?? '' })
  await pool.end()
  return [
    row(`${LISTS} new rules, from apply to exact`, 's', all),
    row('  members of all of them', '', Number(rows[0]?.n)),
    row('one changed rule, an eighth of the contacts come or go, from apply to exact', 's', one),
    row('from the answer to a change until the contact is on its list, p50', 'ms', percentile(took, 0.5)),
    row('  p99', 'ms', percentile(took, 0.99)),
    row('resident memory of the service, at most', 'MB', await peak.stop()),
  ]
}

/** Fifty dynamic lists over so many contacts, in a service with all roles. */
export function dynamicLists(contacts: number): Group {
  return {
    name: `${LISTS} dynamic lists over ${contacts.toLocaleString('en')} contacts`,
    run: (bench) => measure(bench, contacts),
  }
}
