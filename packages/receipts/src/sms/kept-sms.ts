import type { TakenSms } from './inbound.ts'

/** The edge where what was sealed becomes a text again. */
export function keptSms(plain: Buffer): TakenSms {
  return JSON.parse(plain.toString()) as TakenSms
}
