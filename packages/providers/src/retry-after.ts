/** What a `Retry-After` asks for, at most `mostMs`: seconds, or a date (RFC 9110 §10.2.3). Null without one that can be read. */
export function retryAfterMs(header: string | string[] | undefined, mostMs: number): number | null {
  if (typeof header !== 'string') return null
  const seconds = /^\d+$/.test(header) ? Number(header) : Number.NaN
  const ms = header.endsWith(' GMT') ? Date.parse(header) - Date.now() : seconds * 1_000
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), mostMs)
}
