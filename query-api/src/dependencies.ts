import type { ReadModels } from '@tidings/read-models'
import type { Kysely } from 'kysely'

/** What the read routes stand on: Postgres and nothing else. `vapidPublicKey`: null where web push is not configured. */
export type Dependencies = Readonly<{ db: Kysely<ReadModels>; vapidPublicKey: string | null }>
