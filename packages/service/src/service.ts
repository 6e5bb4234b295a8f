import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import type { Peers } from './processes/peers.ts'
import type { Role } from './roles.ts'
import type { Stores } from './stores/open-stores.ts'

/** `alone`: no other process serves this installation. `peers`: this is one of several that a supervisor runs, each with all roles. */
export type Starting = Readonly<{ config: Config; log: Log; roles: ReadonlySet<Role>; alone: boolean; peers?: Peers }>

/** `stores` is null where only tables are read. `missing` is what `/health/ready` waits for, in words. `stop` takes at most 10 s. */
export type Service = Readonly<{
  url: string
  stores: Stores | null
  missing: () => Promise<readonly string[]>
  stop: () => Promise<void>
}>
