import { createPool } from '@tidings/postgres'
import { searchTextOf } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { Bench, Group } from '../lib/bench.ts'
import { cpuSecondsOfTree } from '../lib/cpu.ts'
import { WORKSPACE_ID } from '../lib/engine.ts'
import { madeUpPerson } from '../lib/people.ts'
import { percentile, type ReportRow, row } from '../lib/report.ts'
import { type Service, startService } from '../lib/service.ts'
import { applyWorkspace } from '../lib/workspace.ts'
import { pagesOnScreen } from './page-on-screen.ts'

const A_WRITE = 5_000
const CALLS = 40

/** The searched workspace has eighty of every hundred profiles; three others have the rest. */
const OTHERS = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`)
const workspaceOf = (number: number): string => (number % 5 === 0 ? OTHERS[number % 3] : undefined) ?? WORKSPACE_ID

const profileOf = (number: number) => {
  const at = new Date(Date.UTC(2024, 0, 1) + number * 1_000)
  return {
    ...{
      workspace_id: workspaceOf(number),
      id: `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
      ...madeUpPerson(number),
    },
    ...{ email_consent: 'subscribed', sms_consent: 'never_subscribed', push_consent: 'never_subscribed', email_validation_state: 'valid' },
    ...{ custom_properties: { points: number % 1_000 }, tags: ['shop'], email_suppressed: false, sms_suppressed: false },
    ...{ created_at: at, updated_at: at, last_commit: number, last_prepare: 0 },
  }
}

const write = async (pool: Pool, rows: readonly ReturnType<typeof profileOf>[]): Promise<void> => {
  const insert = (table: string, of: readonly object[]) =>
    pool.query(`insert into read.${table} select * from json_populate_recordset(null::read.${table}, $1)`, [JSON.stringify(of)])
  const texts = rows.map((one) => {
    const { workspace_id, id, created_at, last_commit, last_prepare } = one
    return { workspace_id, id, created_at, ...searchTextOf(one), last_commit, last_prepare }
  })
  await Promise.all([insert('profiles', rows), insert('profile_search', texts)])
}

/** Straight into the read model: what is measured is reading it. */
const fill = async (pool: Pool, profiles: number): Promise<void> => {
  for (let from = 0; from < profiles; from += A_WRITE) {
    const many = Math.min(A_WRITE, profiles - from)
    await write(
      pool,
      Array.from({ length: many }, (_, n) => profileOf(from + n)),
    )
  }
  await pool.query(`insert into read.profile_totals select workspace_id, b, count(*), max(last_commit), 0 from read.profiles, unnest(array['all', 'searched']) b
    group by 1, 2 on conflict (workspace_id, bucket) do update set total = excluded.total, last_commit = excluded.last_commit`)
  await pool.query('vacuum (analyze) read.profiles, read.profile_search')
}

type Ask = (query: string) => Promise<Readonly<{ total: number; items: readonly object[] }>>

const asking =
  ({ url }: Service, headers: Readonly<Record<string, string>>): Ask =>
  async (query) => {
    const answer = await fetch(`${url}/api/v1/public/profiles?${query}`, { headers })
    if (answer.status !== 200) throw new Error(`${query} was answered ${answer.status}`)
    return ((await answer.json()) as { data: Awaited<ReturnType<Ask>> }).data
  }

/** The same search in another case, which is counted on its own: of five letters 32. */
const inCase = (text: string, n: number): string =>
  Array.from(text, (letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join('')

/** Every call of a class asks for something else, so that no count is remembered, but for 33 names and the few of one or two letters; `again` repeats one. */
const CLASSES: readonly (readonly [string, (n: number) => string])[] = [
  ['a search of one profile', (n) => `search=${madeUpPerson(n * 7 + 1).email}`],
  ['a search of a name and a digit', (n) => `search=ohayon${n + 10}`],
  ['a search of a domain of some thousands', (n) => `search=@${inCase('bezeqint', n)}`],
  ['the same, again', () => 'search=@bezeqint'],
  ['a search of a Hebrew name', (n) => `search=${encodeURIComponent(madeUpPerson(n).last_name)}&offset=${n}`],
  ['a search that finds a quarter, counted for the first time', (n) => `search=${n < 32 ? '' : '@'}${inCase('gmail', n)}`],
  ['a search that finds a quarter, again', () => 'search=gmail'],
  ['two letters', (n) => `search=${'bdklmnrstv'.charAt(n % 10)}${'aiou'.charAt(n % 4)}`],
  ['one letter', (n) => `search=${'abcdefghijklmnopqrstuvwxyz'.charAt(n % 26)}`],
  ['%_\\ as they are', (n) => `search=${encodeURIComponent(['%', '_', '\\', '%%%', '_'.repeat(255)][n % 5] ?? '')}`],
]

const addProfile = async (pool: Pool, number: number): Promise<void> => {
  await write(pool, [{ ...profileOf(number), workspace_id: WORKSPACE_ID }])
  await pool.query(`update read.profile_totals set total = total + 1, last_commit = $2 where workspace_id = $1`, [WORKSPACE_ID, number])
}

const measured = async (service: Service, name: string, call: (n: number) => Promise<unknown>): Promise<readonly ReportRow[]> => {
  const took: number[] = []
  await call(0)
  const before = await cpuSecondsOfTree(service.postgresPid)
  for (let n = 1; n <= CALLS; n++) {
    const begun = performance.now()
    await call(n)
    took.push(performance.now() - begun)
  }
  const after = await cpuSecondsOfTree(service.postgresPid)
  const cpu = before === null || after === null ? [] : [row(`  CPU of Postgres a call`, 'ms', ((after - before) * 1_000) / CALLS)]
  const shares = [0.5, 0.95, 0.99].map((share) => row(`${name}, p${share * 100}`, 'ms', percentile(took, share)))
  return [...shares, ...cpu]
}

const readAll = async (
  service: Service,
  { ask, pool, say }: Readonly<{ ask: Ask; pool: Pool; say: Bench['say'] }>,
  profiles: number,
): Promise<readonly ReportRow[]> => {
  const rows: ReportRow[] = []
  const deep = (n: number) => `limit=200&offset=${(profiles >> 1) + n * 200}`
  for (const [name, query] of CLASSES) {
    rows.push(...(await measured(service, name, (n) => ask(query(n)))))
    say(name)
  }
  const add = (n: number) => addProfile(pool, profiles + n)
  const others: readonly (readonly [string, (n: number) => Promise<unknown>])[] = [
    ['a search that finds a quarter, after a new profile', (n) => add(n).then(() => ask('search=gmail'))],
    ['pages of 200 from the middle on', (n) => ask(deep(n))],
    ['the same by email', (n) => ask(`${deep(n)}&sort=email`)],
    ['the same by email, each after a new profile', (n) => add(CALLS + 1 + n).then(() => ask(`${deep(n)}&sort=email`))],
  ]
  for (const [name, call] of others) rows.push(...(await measured(service, name, call)))
  return rows
}

/** Pages in the dashboard, searches and deep pages of the profile list over HTTP, over `profiles` in four workspaces. */
export function search(profiles: number): Group {
  return {
    name: `searches of ${profiles.toLocaleString('en')} profiles`,
    run: async (bench): Promise<readonly ReportRow[]> => {
      const service = await startService(bench, { dataDir: await bench.folder() })
      const workspace = await applyWorkspace(service)
      const pool = createPool({ url: service.databaseUrl, max: 2, name: 'bench-rows' })
      try {
        bench.say('writing the profiles')
        await fill(pool, profiles)
        const onScreen = await pagesOnScreen(service, workspace)
        return [...onScreen, ...(await readAll(service, { ask: asking(service, workspace.headers), pool, say: bench.say }, profiles))]
      } finally {
        await pool.end()
      }
    },
  }
}
