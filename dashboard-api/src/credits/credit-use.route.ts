import type { StreamReader } from '@tidings/codec'
import { CreditPeriodQuery, CreditUse } from '@tidings/contracts'
import { type App, fairShare, hasLeft } from '@tidings/http'
import { quarterStart, type WorkspaceId } from '@tidings/read-models'
import { balanceOf } from '@tidings/wallet'
import type { DashboardDependencies } from '../dependencies.ts'
import { askedBoundaries, type Boundaries } from '../overview/period.ts'
import { entriesOf } from './entries-of.ts'

const schema = {
  operationId: 'credits.use',
  summary: 'The credits that were spent, by day',
  tags: ['credits'],
  querystring: CreditPeriodQuery,
  response: { 200: CreditUse },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

/** Entries that are looked at, from the last one back: some seconds. */
const MOST_ENTRIES = 200_000

type Used = Readonly<{ steps: CreditUse['steps']; since: string | null }>

const usedIn = async (
  log: StreamReader,
  of: Readonly<{ workspaceId: WorkspaceId; boundaries: Boundaries; isGone: () => boolean }>,
): Promise<Used> => {
  const begins = of.boundaries.slice(0, -1).map(quarterStart)
  const steps = begins.map((at) => ({ at: new Date(at).toISOString(), used: 0 }))
  let looked = 0
  for await (const { at, entry, amount } of entriesOf(log, of)) {
    looked++
    if (looked > MOST_ENTRIES) return { steps, since: at }
    const step = steps[begins.findLastIndex((begin) => begin <= Date.parse(at))]
    if (entry === 'settle' && step !== undefined) step.used += amount
  }
  return { steps, since: null }
}

/** One at a time of a workspace, and a quarter of the connections for all. */
export function creditUse(app: App, deps: Pick<DashboardDependencies, 'log' | 'commands' | 'poolSize'>): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(deps.poolSize / 4)) })
  app.get('/credits/use', { schema, config }, ({ tenant: { workspaceId }, query, raw }) => {
    const boundaries = askedBoundaries({ ...query, zone: query.zone ?? 'UTC', step: 'day' })
    const asking = { workspaceId, isGone: () => hasLeft({ raw }) }
    return share(asking, async () => {
      const [{ available }, { steps, since }] = await Promise.all([
        balanceOf(deps.commands, workspaceId),
        usedIn(deps.log, { ...asking, boundaries }),
      ])
      const used = steps.reduce((sum, step) => sum + step.used, 0)
      const daysLeft = used === 0 || since !== null ? null : Math.floor((available * steps.length) / used)
      return { steps, used, since, daysLeft }
    })
  })
}
