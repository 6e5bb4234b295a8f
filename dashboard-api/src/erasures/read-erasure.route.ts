import { readErasure } from '@tidings/administration'
import { ContactParams, Erasure } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { namesOfActors } from '../editing/last-change.ts'
import { onceBuilt } from '../not-built.ts'

const schema = {
  operationId: 'erasures.read',
  summary: 'What an erasure took away, and what stays',
  tags: ['erasures'],
  params: ContactParams,
  response: { 200: Erasure },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['erasure_not_found'] } as const

export function readErasureRoute(app: App, deps: Pick<DashboardDependencies, 'db' | 'log' | 'pool'>): void {
  app.get('/erasures/:id', { schema, config }, async ({ tenant: { workspaceId }, params: { id: contactId } }) => {
    const found = await onceBuilt(readErasure(deps, { workspaceId, contactId }))
    if (found === null) throw new Refused('erasure_not_found')
    const { requested, erased, finishedAt, cleared, stays, waitsFor } = found
    const nameOf = await namesOfActors(deps.db, workspaceId, [requested.actor])
    return {
      contactId,
      state: finishedAt === null ? ('running' as const) : ('finished' as const),
      ...{ askedAt: requested.at, askedBy: nameOf(requested.actor), position: requested.position },
      ...{ erasedAt: erased?.at ?? null, finishedAt, cleared: [...cleared], stays, waitsFor: [...waitsFor] },
    }
  })
}
