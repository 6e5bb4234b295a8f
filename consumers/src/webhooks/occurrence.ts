import type { Recorded } from '@tidings/codec'

export type Data = Readonly<Record<string, unknown>>

/** Something that webhooks report, and the event that is its cause. `extra` goes into the data. */
export type WebhookOccurrence = Readonly<{ name: string; cause: Recorded; extra?: Data }>
