import type { Position } from '@tidings/event-store'
import type { TestDatabase } from '@tidings/testing'
import type { Transport } from '../../src/port.ts'
import type { Effects } from '../testing/effects.ts'
import type { LogOfDeliveries } from '../testing/log-of-deliveries.ts'

/** What the contract needs to know of a transport. */
export type TransportHarness = Readonly<{
  name: string
  /** Brings events from this log to consumers, over ways of its own. */
  open: (db: TestDatabase, made: LogOfDeliveries) => Promise<OpenTransport>
}>

type OpenTransport = Readonly<{
  transport: Transport
  /** The slowest place of the group, wherever it may be noted. */
  position: () => Promise<Position | null>
  /** Another process takes the group, in the middle of whatever it does. */
  takeAway: () => Promise<void>
  /** SQL that sets the group back to a position, as a crash of Postgres may. */
  setBack: (to: Position) => string
  close: () => Promise<void>
}>

/** What each scenario gets. */
export type World = OpenTransport & Readonly<{ db: TestDatabase; made: LogOfDeliveries; effects: Effects; run: Transport }>
