import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, operationsOf } from '../contract/openapi.ts'
import { pathWith } from './support/door-things.ts'
import { eventually } from './support/eventually.ts'
import { inOneProcess, startOnReplica, type WorldOnReplica } from './support/world-on-replica.ts'

// Each route of the dashboard that reads, and the server that answers it (M130).

let on: WorldOnReplica
beforeAll(async () => {
  if (inOneProcess) on = await startOnReplica()
})
afterAll(() => on?.stop())

/** Routes that show no read model: what they show is as of the log, of tables of work, or of the primary itself. */
const WITHOUT: ReadonlySet<string> = new Set([
  // The log, with names that only users have who changed something here.
  ...['/integrations/contacts/{id}/consent', '/me', '/lists/{id}/versions', '/lists/{id}/version', '/templates/{id}'],
  ...[
    '/templates/{id}/versions',
    '/templates/{id}/version',
    '/campaigns/{id}',
    '/custom-events/{id}',
    '/connectors',
    '/custom-fields/{id}',
  ],
  ...[
    '/tags/all',
    '/account',
    '/credits',
    '/credits/statement',
    '/credits/use',
    '/credits/check',
    '/workspace',
    '/flows/{id}/profiles/{contactId}',
  ],
  // Files and frames of the log.
  ...['/messages/{id}/content', '/campaigns/{id}/preview/{contactId}', '/forms/{id}/preview', '/credits/statement/file'],
  ...['/profiles/{id}/proof', '/proofs/all'],
  // Tables of work.
  ...['/messages/{id}/why', '/erasures', '/dead-letters', '/dead-letters/consumers', '/webhooks/{id}/deliveries'],
  // The primary itself.
  ...['/system', '/system/findings', '/system/projections'],
])

/** Routes that read a few rows of a read model beside tables of work, on the primary: one statement has both, or both have to fit. */
const BESIDE_WORK: ReadonlySet<string> = new Set([
  ...[
    '/overview',
    '/webhooks/health',
    '/webhooks/{id}',
    '/webhooks/{id}/deliveries/{delivery}',
    '/erasures/{id}',
    '/erasures/{id}/receipt',
  ],
])

/** What a query has to say. */
const QUERIES: Readonly<Record<string, string>> = {
  '/lists/{id}/version': '?version=1',
  '/templates/{id}/version': '?version=1',
  '/profiles/lookup': '?email=noa@doors.example',
  '/figures': '?from=2026-01-01&to=2026-01-02',
  '/credits/use': '?from=2026-01-01&to=2026-01-02',
  '/credits/statement/file': '?from=2026-01-01&to=2026-01-02',
  '/campaigns/{id}/preview/{contactId}': '?variant=1',
  '/system/workspace': '?slug=doors',
}
/** A static list has no rule, the campaign no sender, and the erasure may not have ended yet. */
const REFUSED: Readonly<Record<string, readonly number[]>> = {
  '/lists/{id}/version': [404],
  '/campaigns/{id}/preview/{contactId}': [400],
  '/erasures/{id}/receipt': [200, 409],
}
/** Queries that are of things of this workspace, or of now. */
const ownQuery = (path: string): string => {
  if (path === '/campaigns/audience') return `?listId=${on.things.lists}&channel=email`
  return path === '/profiles/{id}/past' ? `?at=${new Date().toISOString()}` : ''
}

const reads = operationsOf(committedDashboardOpenApi())
  .filter(({ method }) => method === 'GET')
  .map(({ path, operation }) => ({ path: path.replace('/api/v1/dashboard', ''), of: path, role: operation['x-tidings-role'] }))

describe.runIf(inOneProcess)('each read of the dashboard', () => {
  it.each(reads)('GET $path', async ({ path, of, role }) => {
    const route = `GET ${pathWith(on.things, of)}${QUERIES[path] ?? ownQuery(path)}`
    const session = role === 'operator' ? on.sessions.operator : on.sessions.owner
    const isElsewhere = WITHOUT.has(path) || path.startsWith('/webhooks/') || path.startsWith('/erasures/')
    const asked = await eventually(
      () => on.ask(session, route),
      (one) => isElsewhere || one.answered.replica > 0,
    )
    expect(REFUSED[path] ?? [200], asked.text.slice(0, 300)).toContain(asked.status)
    expect(asked.answered.replica > 0).toBe(!isElsewhere)
    expect(asked.answered.primary).toBe(0)
    if (!BESIDE_WORK.has(path)) expect(asked.statements).toEqual([])
  })
})
