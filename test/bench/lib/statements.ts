import { createPool } from '@tidings/postgres'
import type { Bench } from './bench.ts'
import { type Service, startService } from './service.ts'

type Starting = Parameters<typeof startService>[1]

/** `statements`: that Postgres has taken so far, `begin` and `commit` among them. */
export type CountedService = Service & Readonly<{ statements: () => Promise<number> }>

/** The service on a Postgres that counts its statements: the library for that is loaded when the server starts, so it starts twice. */
export async function startCounted(bench: Bench, starting: Starting): Promise<CountedService> {
  const first = await startService(bench, starting)
  const setting = createPool({ url: first.databaseUrl, max: 1, name: 'bench' })
  await setting.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await setting.end()
  await first.stop()
  const service = await startService(bench, starting)
  const pool = createPool({ url: service.databaseUrl, max: 1, name: 'bench' })
  bench.after(() => pool.end())
  await pool.query('create extension pg_stat_statements')
  const statements = async (): Promise<number> => {
    const { rows } = await pool.query<{ calls: number }>('select coalesce(sum(calls), 0)::float8 as calls from pg_stat_statements')
    return rows[0]?.calls ?? 0
  }
  return { ...service, statements }
}
