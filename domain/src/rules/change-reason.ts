import type { CompiledRule } from './compile-rule.ts'
import type { RuleFacts } from './rule-facts.ts'

/** A contact's facts from a moment on (milliseconds), null while there is no contact; `by`: what changed them, `rule` where that is no news (M54). */
export type FactChange = Readonly<{ at: number; by: 'contact' | 'event' | 'rule'; facts: RuleFacts | null }>

/** The facts of a contact before and after. `isMatch`: the answer of the rule whose reason is asked. */
export type FactHistory = Readonly<{
  before: Readonly<{ at: number; facts: RuleFacts | null }>
  changes: readonly FactChange[]
  now: number
  isMatch: boolean
}>

/** More moments than one state of the facts can have: each condition ends it at most twice. */
const MOST_MOMENTS = 1_000

/**
 * By what the rule last came to this answer: a change of the contact, an event of the contact, or time; `rule` where the facts had it all along, so
 * that it is the rule itself that is new (M55). It follows from the facts alone: every process gets the same, at every time.
 */
export function changeReason(rule: CompiledRule, { before, changes, now, isMatch }: FactHistory): 'contact' | 'event' | 'time' | 'rule' {
  let { at, facts } = before
  let answer = matches(rule, facts, at)
  let reason: ReturnType<typeof changeReason> = 'rule'
  const isNow = (next: boolean, by: typeof reason): void => {
    if (next !== answer && next === isMatch) reason = by
    answer = next
  }
  const passTo = (until: number): void => {
    for (let n = 0; facts !== null && n < MOST_MOMENTS; n++) {
      const moment = rule.changesAt(facts, at)
      if (moment === null || moment > until) break
      at = moment
      isNow(!answer, 'time')
    }
    at = Math.max(at, until)
  }
  for (const change of changes) {
    passTo(change.at)
    facts = change.facts
    isNow(matches(rule, facts, at), change.by)
  }
  passTo(now)
  return reason
}

const matches = (rule: CompiledRule, facts: RuleFacts | null, at: number): boolean => facts !== null && rule.matches(facts, at)
