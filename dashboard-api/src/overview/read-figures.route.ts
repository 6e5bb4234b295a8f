import { Figures, FiguresQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { readMark } from '@tidings/projections'
import type { DashboardDependencies } from '../dependencies.ts'
import { countedMessages, subscribedContacts } from './figures.ts'
import { askedBoundaries } from './period.ts'

const schema = {
  operationId: 'overview.figures',
  summary: 'What was sent, and what became of it, by day or by hour',
  tags: ['overview'],
  querystring: FiguresQuery,
  response: { 200: Figures },
}

const config = { access: 'session', dashboard: { role: 'member', reads: ['figures'] } } as const

export function readFigures(app: App, { db, reads }: Pick<DashboardDependencies, 'db' | 'reads'>): void {
  app.get('/figures', { schema, config }, async ({ tenant: { workspaceId }, query }) => {
    const { from, to, zone = 'UTC', step = 'day', channel, kind } = query
    const boundaries = askedBoundaries({ from, to, zone, step })
    const wanted = { workspaceId, boundaries, ...(channel && { channel }), ...(kind && { kind }) }
    const [{ state }, counted, consents] = await Promise.all([
      readMark(reads, 'figures'),
      countedMessages(db, wanted),
      subscribedContacts(db, wanted),
    ])
    return { state, zone, ...counted, consents }
  })
}
