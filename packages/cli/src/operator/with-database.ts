import { existsSync } from 'node:fs'
import { type Config, loadConfig, OperationFailed } from '@tidings/config'
import { createLog, type Log } from '@tidings/observability/log'
import { createPool } from '@tidings/postgres'
import { connectDatabase } from '@tidings/service/stores'
import type { Pool } from 'pg'
import { type Answer, printAnswer } from '../terminal/answer.ts'

type Work = (parts: Readonly<{ config: Config; log: Log; pool: Pool }>) => Promise<Answer>

/** Runs a command on the bare database, with or without a schema, and creates no master key. `existing`: refuses a data directory that does not exist. */
export async function withDatabase({ json, existing }: Readonly<{ json: boolean; existing: boolean }>, work: Work): Promise<void> {
  const config = loadConfig(process.env)
  const { databaseUrl, dataDir } = config.storage
  if (existing && databaseUrl === null && !existsSync(dataDir)) {
    throw new OperationFailed(`There is no data directory ${dataDir}: set TIDINGS_DATA_DIR to the one that Tidings runs on.`)
  }
  const log = await createLog({ level: 'warn', to: 'stderr' })
  const database = await connectDatabase(config, log, 'command')
  const pool = createPool({ url: database.url, max: 2, name: 'tidings-backup' })
  try {
    printAnswer(await work({ config, log, pool }), json)
  } finally {
    await pool.end()
    await database.close()
  }
}
