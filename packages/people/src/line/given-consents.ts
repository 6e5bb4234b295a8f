import type { ConsentStatus } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import type { Field } from '../file/columns.ts'

/** A consent as a line gives it: with where and when it was given (M67). */
export type GivenConsent = Readonly<{ channel: 'email' | 'sms'; status: string; source: string; at: string }>

/** A line that is refused; the text is the reason. */
export class LineRefused extends Error {
  override readonly name = 'LineRefused'
}

const CHANNELS = ['email', 'sms'] as const
const NOTHING_SAID: ConsentStatus = 'never_subscribed'
const EARLIEST = '1970-01-01T00:00:00.000Z'

/** `now`: nothing is given later. Throws `LineRefused` for a consent without its source or its time. */
export function givenConsents(cells: ReadonlyMap<Field, unknown>, now: string): readonly GivenConsent[] {
  return CHANNELS.flatMap((channel) => {
    const [status, source, time] = (['', 'Source', 'Timestamp'] as const).map((part) => cells.get(`${channel}Consent${part}`))
    if (source === undefined && time === undefined && (status === undefined || status === NOTHING_SAID)) return []
    const names = `${channel}Consent, ${channel}ConsentSource and ${channel}ConsentTimestamp`
    if (typeof status !== 'string' || typeof source !== 'string' || typeof time !== 'string')
      throw new LineRefused(`${names} must be given together`)
    return [{ channel, status: status.toLowerCase(), source, at: givenAt(`${channel}ConsentTimestamp`, time, now) }]
  })
}

/** As `2024-05-01 12:00:00` is written by databases: in UTC, as nothing else is said. */
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/

const givenAt = (name: string, text: string, now: string): string => {
  const at = parseMoment(text.replace(WITHOUT_ZONE, '$1T$2Z').replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T'))
  if (at === null || at < EARLIEST) throw new LineRefused(`${name} must be a time like 2026-11-21T09:00:00Z`)
  if (at > now) throw new LineRefused(`${name} must not be in the future`)
  return at
}
