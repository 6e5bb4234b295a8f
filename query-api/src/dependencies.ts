import type { ReadModels } from '@tidings/read-models'
import type { Kysely } from 'kysely'

/** What the read routes stand on: Postgres and nothing else. */
export type Dependencies = Readonly<{ db: Kysely<ReadModels> }>
