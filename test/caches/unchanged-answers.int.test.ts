import { randomUUID } from 'node:crypto'
import type { App } from '@tidings/http'
import { kyselyOn } from '@tidings/postgres'
import { projections } from '@tidings/projectors'
import type { ReadModels } from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DashboardDependencies, dashboardApi } from '../../dashboard-api/src/dashboard-api.ts'
import { emptyTables } from '../search/read-model.ts'

// A route that says which projections it reads is answered 304 while these stand still (M76): what it reads beside them would be answered too old.

type RouteOptions = Readonly<{ config?: Readonly<{ dashboard?: Readonly<{ reads?: readonly string[] }> }> }>
type Handler = (request: object, reply: object) => Promise<unknown>
type Route = Readonly<{ url: string; reads: readonly string[]; handler: Handler }>

/** What each route asks with; one that is not here has no query. */
const QUERIES: Readonly<Record<string, object>> = { '/figures': { from: '2026-11-01', to: '2026-11-02' } }

/** Routes that say what they read, with nothing to read from but the pool: a log or a clock has none of them. */
async function routesThatSayWhatTheyRead(pool: TestDatabase['pool']): Promise<readonly Route[]> {
  const found: Route[] = []
  const note = (url: string, { config }: RouteOptions, handler: Handler): void => {
    const reads = config?.dashboard?.reads
    if (reads !== undefined) found.push({ url, reads, handler })
  }
  const app = Object.fromEntries(['get', 'post', 'put', 'patch', 'delete'].map((method) => [method, note]))
  const deps: Partial<DashboardDependencies> = { pool, reads: pool, db: kyselyOn<ReadModels>(pool), poolSize: 4, sendsForReal: true }
  await dashboardApi(deps as DashboardDependencies)(app as unknown as App)
  return found
}

const tablesOf = (name: string): readonly string[] => projections.find((one) => one.name === name)?.tables.map((table) => table.name) ?? []

describe('a route that is answered 304', () => {
  let database: TestDatabase
  let routes: readonly Route[]
  beforeAll(async () => {
    database = await testDatabase()
    routes = await routesThatSayWhatTheyRead(database.pool)
    await emptyTables(database.pool, [...new Set(routes.flatMap(({ reads }) => reads))])
  })
  afterAll(() => database.drop())

  const without = async (tables: readonly string[], work: () => Promise<void>): Promise<void> => {
    for (const table of tables) await database.pool.query(`alter table read.${table} rename to "${table} away"`)
    await work()
    for (const table of tables) await database.pool.query(`alter table read."${table} away" rename to ${table}`)
  }
  const answer = ({ url, handler }: Route) =>
    handler({ tenant: { workspaceId: randomUUID(), slug: 'acme' }, query: QUERIES[url] ?? {} }, {})

  test('reads each of the projections that it says, and no other', async () => {
    expect(routes.map(({ url }) => url)).toEqual(['/figures', '/checklist'])
    const all = [...new Set(routes.flatMap(({ reads }) => reads))]
    for (const route of routes) {
      const others = all.filter((name) => !route.reads.includes(name))
      await without(others.flatMap(tablesOf), async () => {
        await expect(answer(route), route.url).resolves.toBeDefined()
      })
      for (const name of route.reads)
        await without(tablesOf(name), async () => {
          await expect(answer(route), `${route.url} without ${name}`).rejects.toThrow()
        })
    }
  })
})
