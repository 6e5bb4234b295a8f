import { CreditPeriodQuery } from '@tidings/contracts'
import { type App, fairShare, hasLeft, invalidRequest } from '@tidings/http'
import { quoted, safeCell } from '@tidings/people'
import type { StatementEntry } from '@tidings/wallet'
import type { DashboardDependencies } from '../dependencies.ts'
import { askedBoundaries } from '../overview/period.ts'
import { entriesOf } from './entries-of.ts'

const schema = {
  operationId: 'credits.statementFile',
  summary: 'The statement of a period as CSV, oldest first',
  description: '`text/csv` with a line of headers, without the envelope; at most 50 000 lines.',
  tags: ['credits'],
  querystring: CreditPeriodQuery,
}

const config = { access: 'session', dashboard: { role: 'member' }, raw: true } as const

const MOST_LINES = 50_000
/** Without it Excel reads a note in Hebrew by another alphabet. */
const MARK = '\uFEFF'
const COLUMNS = ['at', 'entry', 'amount', 'balance', 'held', 'messageId', 'note'] as const satisfies (keyof StatementEntry)[]

const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map((cell) => quoted(safeCell(String(cell ?? '')))).join(',')}\r\n`

/** One at a time of a workspace: each is some megabytes. */
export function statementCsv(app: App, { log, poolSize }: Pick<DashboardDependencies, 'log' | 'poolSize'>): void {
  const share = fairShare({ each: 1, all: Math.max(1, Math.floor(poolSize / 4)) })
  app.get('/credits/statement/file', { schema, config }, ({ tenant: { workspaceId, slug }, query, raw }, reply) => {
    const boundaries = askedBoundaries({ ...query, zone: query.zone ?? 'UTC', step: 'day' })
    const asking = { workspaceId, isGone: () => hasLeft({ raw }) }
    return share(asking, async () => {
      const lines: string[] = []
      for await (const entry of entriesOf(log, { ...asking, boundaries })) {
        if (lines.push(csvLine(COLUMNS.map((column) => entry[column]))) > MOST_LINES)
          throw invalidRequest(`The period has more than ${MOST_LINES} lines: ask for fewer days`)
      }
      reply.header('Content-Disposition', `attachment; filename="credits-${slug}.csv"`)
      return reply.type('text/csv; charset=utf-8').send([MARK, csvLine(COLUMNS), ...lines.reverse()].join(''))
    })
  })
}
