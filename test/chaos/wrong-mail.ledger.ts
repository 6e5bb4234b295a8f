import type { Person, World } from './wrong-mail.world.ts'

/** A transactional message that was accepted; `cause` comes once. */
type Accepted = Readonly<{ channel: 'email' | 'sms'; to: string; cause: string; messageId: string }>

/** A stop that was answered: from `at` until `until` nothing of what it concerns may leave. */
export type Stop = Readonly<{ at: number; what: string; channel: 'email' | 'sms'; to: string | null; cause: string | null; until: number }>

/** A campaign to the list by rule may have the members of the rule that was answered last before its start. */
export type RichCampaign = Readonly<{ name: string; rule: 'wide' | 'narrow'; status: string; startedAt: number; finishedAt: number }>

/** Requests and their answers. Times are ms since 1970, by the clock of the test. */
export type Ledger = Readonly<{
  startedAt: number
  accepted: Accepted[]
  stops: Stop[]
  richCampaigns: RichCampaign[]
  /** The time at which the fact was written that makes a person a member, by number. */
  joinedAt: Map<number, number>
  orderedAt: Map<number, number>
  /** The times from the end of a process until it was up again. */
  kills: Readonly<{ seat: number; from: number; to: number }>[]
  passcodes: { issued: number; unanswered: number; refused: Map<string, number> }
}>

export type Run = Readonly<{ world: World; ledger: Ledger; signal: AbortSignal; forgotten: Set<number> }>

export function newLedger(): Ledger {
  return {
    startedAt: Date.now(),
    accepted: [],
    stops: [],
    richCampaigns: [],
    joinedAt: new Map(),
    orderedAt: new Map(),
    kills: [],
    passcodes: { issued: 0, unanswered: 0, refused: new Map() },
  }
}

/** Nothing of it may leave from now on; transactional messages go on unless `all`. */
export function noteNo(
  { ledger }: Run,
  person: Person,
  of: Readonly<{ what: string; channels: readonly ('email' | 'sms')[]; at: number }>,
): void {
  for (const channel of of.channels) {
    const to = channel === 'email' ? person.email : person.phone
    ledger.stops.push({ at: of.at, what: of.what, channel, to, cause: null, until: Number.POSITIVE_INFINITY })
  }
}
