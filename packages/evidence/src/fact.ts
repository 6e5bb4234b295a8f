import type { Recorded } from '@tidings/codec'
import { withoutLinkTokens } from '@tidings/domain'
import { positionText } from '@tidings/event-store'

/** One event of the log, and what it has to say about what is asked. Facts of one event share its position. */
export type Fact = Readonly<{ at: string; position: string; type: string; says: string }>

/** What a relay says of a mail may quote a link of ours: its token is not shown (M61). */
export function factOf({ meta, position, type }: Pick<Recorded, 'meta' | 'position' | 'type'>, says: string): Fact {
  return { at: meta.at, position: positionText(position), type, says: withoutLinkTokens(says) }
}

/** The facts in the order of the log. */
export function inLogOrder(facts: readonly Fact[]): readonly Fact[] {
  return facts.toSorted((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0))
}
