import { type ApiRefusalCode, type RefusalContext, Refused } from '@tidings/domain'

/** A refusal by a route that reads: query-api knows no domain. */
export function refusal(code: ApiRefusalCode, context?: RefusalContext): Refused {
  return new Refused(code, context)
}
