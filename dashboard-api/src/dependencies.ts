import type { ContentStore, StreamReader } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { EmailContent } from '@tidings/domain'
import type { ReadYourWrites } from '@tidings/projections'
import type { ReadModels } from '@tidings/read-models'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'

/** The dependencies of the routes; the composition root builds them once. */
export type DashboardDependencies = Readonly<{
  db: Kysely<ReadModels>
  pool: Pool
  log: StreamReader
  contents: ContentStore<EmailContent>
  commands: CommandRunner
  readSide: ReadYourWrites
  /** Where the world reaches the service, for links. */
  publicUrl: string
  /** The server's clock: ISO 8601, UTC, milliseconds. */
  now: () => string
}>
