import type { EventLog, KeyRing } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { FirstHeads } from '@tidings/projections'
import type { Pool } from 'pg'
import type { Person } from './person.ts'

/** The key of the person may be gone: there are no `addresses` then. */
type Requested = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; requested: Position; addresses: readonly string[] }>

/**
 * A location that may contain something of a person beside the log and the read models. `clear` answers how many rows it took away; `left` names what is
 * still there because a session uses it: the erasure is not whole then, and is tried again.
 */
export type PersonalLocation = Readonly<{ name: string; clear: (person: Person) => Promise<number> }> &
  Readonly<{ left?: (requested: Requested) => Promise<readonly string[]> }>

/** Hears at once how many things went. */
export type Went = (count: number) => Promise<void>

/** The number of rows that were deleted in one location. */
export type Cleared = Readonly<{ place: string; cleared: number }>

/**
 * `settle` resolves when the read models show a position and every live process has acknowledged it, and rejects when that takes too long.
 * `heads`: where the log was when a step of an erasure first asked, over all its tries; without it each try asks anew. `inFlightMs`: how long a request that had begun before may still write.
 */
export type Erasing = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandRunner
  keyRing: Pick<KeyRing, 'claimDigest' | 'load' | 'shred' | 'withhold'>
  locations: readonly PersonalLocation[]
  settle: (position: Position) => Promise<void>
  heads?: FirstHeads
  inFlightMs?: number
  now?: () => number
}>
