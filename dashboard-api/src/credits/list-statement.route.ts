import { CreditEntryPage, StatementQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { type EntryPlace, readStatementBack } from '@tidings/wallet'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'credits.statement',
  summary: 'What was added, held, spent and given back, newest first',
  tags: ['credits'],
  querystring: StatementQuery,
  response: { 200: CreditEntryPage },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

const textOf = ({ revision, line }: EntryPlace): string => `${revision}-${line}`

/** `text` has the form that the schema asks for. */
const placeOf = (text: string): EntryPlace => {
  const [revision = 0, line = 0] = text.split('-').map(Number)
  return { revision, line }
}

export function listStatement(app: App, { log }: Pick<DashboardDependencies, 'log'>): void {
  app.get('/credits/statement', { schema, config }, async ({ tenant: { workspaceId }, query: { after, limit = 50 } }) => {
    const items: CreditEntryPage['items'] = []
    let hasMore = false
    const before = after === undefined ? undefined : placeOf(after)
    for await (const { place, ...entry } of readStatementBack(log, { workspaceId, before })) {
      hasMore = items.length === limit
      if (hasMore) break
      items.push({ id: textOf(place), ...entry })
    }
    return { items, limit, total: null, has_more: hasMore, next_cursor: hasMore ? (items.at(-1)?.id ?? null) : null }
  })
}
