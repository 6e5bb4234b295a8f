import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Bench } from './bench.ts'
import { type Service, startService } from './service.ts'

type Starting = Parameters<typeof startService>[1]

/** `statements`: that Postgres has taken so far, `begin` and `commit` among them, and those over `uncounted` not. */
export type CountedService = Service & Readonly<{ statements: () => Promise<number>; uncounted: Pool }>

/** The service on a Postgres that counts its statements: the library for that is loaded when the server starts, so it starts twice. */
export async function startCounted(bench: Bench, starting: Starting): Promise<CountedService> {
  const first = await startService(bench, starting)
  const setting = createPool({ url: first.databaseUrl, max: 1, name: 'bench' })
  await setting.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await setting.query('create extension pg_stat_statements')
  await setting.end()
  await first.stop()
  const service = await startService(bench, starting)
  const url = new URL(service.databaseUrl)
  url.searchParams.set('options', '-c pg_stat_statements.track=none')
  const uncounted = createPool({ url: url.href, max: 2, name: 'bench' })
  bench.after(() => uncounted.end())
  const statements = async (): Promise<number> => {
    const { rows } = await uncounted.query<{ calls: number }>('select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements')
    return rows[0]?.calls ?? 0
  }
  return { ...service, statements, uncounted }
}
