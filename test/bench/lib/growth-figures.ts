import type { Bench } from './bench.ts'
import { walBytes } from './disk.ts'
import type { GrownService } from './grown.ts'
import { addressOf } from './history.ts'
import { percentile, type Target } from './report.ts'
import { measure } from './sides.ts'
import { emailTo } from './workspace.ts'

const WORSE_AT_MOST = 1.11
export const MORE: Target = { atLeast: 0.9 }
export const LESS: Target = { atMost: WORSE_AT_MOST }

/** One figure of one size; `target`: what its ratio to that of the small one must reach. */
type Figure = Readonly<{ name: string; unit: string; value: number; target?: Target }>
export type Figures = readonly Figure[]

const CONNECTIONS = 64
const FEW = 500

export type Measure = (bench: Bench, grown: GrownService, run: number) => Promise<Figures>

/** Picks so many of all people, evenly. */
const some = (contacts: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => addressOf(Math.floor((n * contacts) / count)))

/** Emails accepted over HTTP: to the same few, whom the caches know, or to each of all once, who come from the disk. */
export function accepting(whom: 'few' | 'all'): Measure {
  const next = new Map<string, number>()
  return async (bench, { service, workspace, pool, written: { contacts } }, run) => {
    const few = whom === 'few'
    const to = few
      ? { values: some(contacts, Math.min(FEW, contacts)), body: emailTo('{value}') }
      : { of: contacts, body: emailTo('person{m}@example.com') }
    const plan = { method: 'POST', path: '/api/v1/public/messages/email', headers: workspace.headers, connections: CONNECTIONS } as const
    const before = await walBytes(pool)
    if (run > 0) service.toggleProfile()
    const result = await measure(
      { ...service, name: 'tidings' },
      { ...plan, ...to, seconds: bench.seconds, from: next.get(service.dataDir) ?? 0 },
    )
    if (run > 0) service.toggleProfile()
    const wal = (await walBytes(pool)) - before
    next.set(service.dataDir, result.next)
    const recipients = few ? 'the same 500 recipients' : 'each recipient once'
    return [
      { name: `emails accepted, ${recipients}`, unit: '/s', value: result.perSecond, target: MORE },
      { name: '  p50', unit: 'ms', value: result.p50 },
      { name: '  p99', unit: 'ms', value: result.p99 },
      { name: '  CPU an email, Node', unit: 'µs', value: result.nodeUs ?? Number.NaN, target: LESS },
      { name: '  CPU an email, Postgres', unit: 'µs', value: result.postgresUs ?? Number.NaN, target: LESS },
      { name: '  write-ahead log an email', unit: 'B', value: wal / result.answered },
    ]
  }
}

/** PUT of a profile over HTTP: its answer is what the read side shows. */
export const changing: Measure = async (bench, { service, workspace, written: { contacts } }, run) => {
  const body = JSON.stringify({ email: '{value}', firstName: `Ada ${run} {n}` })
  const plan = { method: 'PUT', path: '/api/v1/public/profiles', headers: workspace.headers, connections: 16, body } as const
  const values = some(contacts, Math.min(FEW, contacts))
  const result = await measure({ ...service, name: 'tidings' }, { ...plan, values, seconds: bench.seconds, from: 0 })
  return [
    { name: 'profile written to visible, 16 callers, p50', unit: 'ms', value: result.p50, target: LESS },
    { name: '  CPU a write, Node', unit: 'µs', value: result.nodeUs ?? Number.NaN, target: LESS },
    { name: '  CPU a write, Postgres', unit: 'µs', value: result.postgresUs ?? Number.NaN, target: LESS },
  ]
}

const CALLS = 60

type Page = Readonly<{ items: readonly object[]; total: number }>

const pageOf = async ({ service, workspace }: GrownService, path: string): Promise<Page> => {
  const answer = await fetch(`${service.url}/api/v1/public/${path}`, { headers: workspace.headers })
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`)
  return ((await answer.json()) as { data: Page }).data
}

/** Pages of 50: the first, and one after the other from the middle on; the first of those is found by its offset. */
export const pages: Measure = async (_, grown) => {
  const figures: Figure[] = []
  for (const what of ['profiles', 'messages']) {
    const { total } = await pageOf(grown, `${what}?limit=1`)
    const timed = async (path: (n: number) => string, calls: number): Promise<readonly number[]> => {
      const took: number[] = []
      for (let n = 0; n < calls; n++) {
        const begun = performance.now()
        await pageOf(grown, path(n))
        took.push(performance.now() - begun)
      }
      return took
    }
    const first = await timed(() => `${what}?limit=50`, CALLS)
    const middle = total >> 1
    const [found = Number.NaN] = await timed(() => `${what}?limit=50&offset=${middle}`, 1)
    const deep = await timed((n) => `${what}?limit=50&offset=${Math.min(total - 50, middle + 50 * (n + 1))}`, CALLS)
    figures.push(
      { name: `first page of ${what}, p50`, unit: 'ms', value: percentile(first, 0.5), target: LESS },
      { name: '  p95', unit: 'ms', value: percentile(first, 0.95) },
      { name: '  the page in the middle, asked for', unit: 'ms', value: found },
      { name: '  the pages after it, p50', unit: 'ms', value: percentile(deep, 0.5), target: LESS },
      { name: '  p95', unit: 'ms', value: percentile(deep, 0.95) },
    )
  }
  return figures
}
