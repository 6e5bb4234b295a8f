import { loadConfig } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { createPool } from '@tidings/postgres'
import { connectDatabase, migrateSchema } from '@tidings/service/stores'
import { printAnswer } from '../terminal/answer.ts'

/** `tidings migrate`: brings the schema up to date. Safe to repeat, and beside a running service. */
export async function migrate({ json }: Readonly<{ json: boolean }>): Promise<void> {
  const config = loadConfig(process.env)
  const log = await createLog({ level: 'warn', to: 'stderr' })
  const database = await connectDatabase(config, log, 'command')
  const pool = createPool({ url: database.url, max: 1, name: 'tidings-migrate' })
  try {
    const applied = await migrateSchema(pool, log)
    const lines = applied.length === 0 ? ['The schema is up to date.'] : applied.map((name) => `applied ${name}`)
    printAnswer({ json: { applied }, lines }, json)
  } finally {
    await pool.end()
    await database.close()
  }
}
