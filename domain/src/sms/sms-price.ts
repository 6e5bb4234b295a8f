import { gsm7Length, isGsm7 } from './gsm7.ts'

const UNITS_A_CREDIT = 268

/** What a text message costs in credits, at least one: its septets, or twice its UTF-16 code units where it is not GSM-7, by 268 (G33). */
export function smsCredits(body: string): number {
  const units = isGsm7(body) ? gsm7Length(body) : body.length * 2
  return Math.max(1, Math.ceil(units / UNITS_A_CREDIT))
}
