import { type RefusalContext, Refused } from '@tidings/domain'
import type { RefusalCode } from './refusals.ts'

/** A refusal by a code of the table, for routes that have no decider to refuse for them. */
export function refusal(code: RefusalCode, context?: RefusalContext): Refused {
  return new Refused(code, context)
}
