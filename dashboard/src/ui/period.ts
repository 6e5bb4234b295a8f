/** The periods that can be chosen, in days; one is shown by the hour. */
export const PERIODS = [1, 7, 30, 90, 365] as const
export type Period = (typeof PERIODS)[number]

const DAY_MS = 86_400_000

export function periodNamed(text: string | null): Period {
  return PERIODS.find((days) => String(days) === text) ?? 30
}

/** The last days of a zone, today included, as the API takes them. */
export function daysOf(days: Period, zone: string, now: Date): Readonly<{ from: string; to: string; step: 'day' | 'hour' }> {
  const to = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now)
  const from = new Date(Date.parse(`${to}T00:00:00Z`) - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  return { from, to, step: days === 1 ? 'hour' : 'day' }
}

/** What a step is called: a day, or an hour of one. */
export function stepText(at: string, { locale, zone, step }: Readonly<{ locale: string; zone: string; step: 'day' | 'hour' }>): string {
  const parts = step === 'day' ? ({ day: 'numeric', month: 'short' } as const) : ({ hour: '2-digit', minute: '2-digit' } as const)
  return new Intl.DateTimeFormat(locale, { timeZone: zone, ...parts }).format(new Date(at))
}

/** How much of a whole, where it is a part of it: what was delivered today may have been sent yesterday. */
export function shareOf(part: number, whole: number, locale: string): string | null {
  if (whole === 0 || part > whole) return null
  return (part / whole).toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 })
}
