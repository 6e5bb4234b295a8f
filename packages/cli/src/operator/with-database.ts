import { existsSync } from 'node:fs'
import { type Config, loadConfig, OperationFailed } from '@tidings/config'
import { createLog, type Log } from '@tidings/observability/log'
import { createPool } from '@tidings/postgres'
import { connectDatabase } from '@tidings/service/stores'
import type { Pool } from 'pg'
import { type Answer, printAnswer } from '../terminal/answer.ts'

type CommandSettings = Readonly<{ config: Config; log: Log }>

/**
 * Runs a command that connects to the bare database, with or without a schema, when it asks for it: an embedded one may be made only then. It creates no
 * master key.
 */
export async function connectingLater(
  json: boolean,
  work: (parts: CommandSettings & Readonly<{ connect: () => Promise<Pool> }>) => Promise<Answer>,
): Promise<void> {
  const config = loadConfig(process.env)
  const log = await createLog({ level: 'warn', to: 'stderr' })
  const open = async () => {
    const database = await connectDatabase(config, log, 'command')
    return { database, pool: createPool({ url: database.url, max: 2, name: 'tidings-backup' }) }
  }
  let opened: ReturnType<typeof open> | undefined
  const connect = async (): Promise<Pool> => {
    opened ??= open()
    return (await opened).pool
  }
  try {
    printAnswer(await work({ config, log, connect }), json)
  } finally {
    const { database, pool } = (await opened?.catch(() => undefined)) ?? {}
    await pool?.end()
    await database?.close()
  }
}

/** The same for the database of an installation; refuses a data directory that does not exist. */
export function withDatabase(json: boolean, work: (parts: CommandSettings & Readonly<{ pool: Pool }>) => Promise<Answer>): Promise<void> {
  return connectingLater(json, async ({ config, log, connect }) => {
    const { databaseUrl, dataDir } = config.storage
    if (databaseUrl === null && !existsSync(dataDir))
      throw new OperationFailed(`There is no data directory ${dataDir}: set TIDINGS_DATA_DIR to the one that Tidings runs on.`)
    return await work({ config, log, pool: await connect() })
  })
}
