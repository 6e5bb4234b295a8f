import type { EventStore, Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { UnknownEvent } from '../../unknown-event.ts'
import type { KafkaSettings } from '../settings.ts'

/**
 * `types`: the only events that are published. The relay reads the store and not the log, so personal data stays encrypted.
 * `declared`: every type that this build knows. It publishes nothing from the first other event of ours on: a newer build may publish that
 * event, and consumers need it before what follows. Without it every type counts as known.
 */
export type RelayOptions = Readonly<{
  store: EventStore
  pool: Pool
  kafka: KafkaSettings
  types: readonly string[]
  declared?: ReadonlySet<string>
  onFault?: (error: unknown) => void
}>

/**
 * `position`: how far this process has published, null while another leads. `published`: events since the start. `unknownEvent`: what a newer
 * build wrote, where this process gave the lead back; null again once a newer process has published beyond it.
 */
type RelayProgress = Readonly<{
  leader: boolean
  position: Position | null
  lagSeconds: number
  published: number
  unknownEvent: string | null
}>

export type RunningRelay = Readonly<{
  progress: () => RelayProgress
  /** Rejects, with the reason, while neither this process nor another is known to publish. */
  ready: () => Promise<void>
  /** Finishes what is being sent (at most 3 s), then lets the next process lead at once. */
  stop: () => Promise<void>
}>

export type RelayTally = {
  leader: boolean
  position: Position | null
  lagSeconds: number
  published: number
  fault: unknown
  unknown: UnknownEvent | null
}
