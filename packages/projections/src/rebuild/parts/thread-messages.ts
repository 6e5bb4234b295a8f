import type { Position } from '@tidings/event-store'
import type { ParkedEvent } from '../../follow/parking.ts'
import type { Verdict } from '../../follow/verdict.ts'
import type { Part } from './part-pages.ts'

/** What one of `of` threads of a rebuild is asked for. `attempt`: which next tables it writes to. */
export type PartOrder = Readonly<{ projection: string; version: number; part: Part; of: number; page: number; attempt: string }>

/** What a thread is started with. `source`: what its module needs to reach the log and the database. */
export type ThreadData = Readonly<{ source: unknown; order: PartOrder }>

/** How far a part is; `events` counts those that concern the projection. */
export type PartReached = Readonly<{ position: Position; events: number }>

export type PartBuilt = PartReached & Readonly<{ parked: readonly ParkedEvent[] }>

/** An error's class does not travel: its name and what is to be done about it do. */
type PartFailure = Readonly<{ name: string; message: string; verdict: Verdict }>

export type ThreadMessage = Readonly<{ reached: PartReached } | { built: PartBuilt } | { failed: PartFailure }>
