import type { WorkspaceSettings } from '../../api/calls.ts'

/** Settings as their forms have them: nothing is null while somebody types. */
export type GeneralDraft = Readonly<{ name: string; country: string; tracking: boolean }>
export type MarketingDraft = Readonly<{
  timezone: string
  isQuiet: boolean
  from: string
  to: string
  isCapped: boolean
  messages: string
  days: string
}>
export type RepliesDraft = Readonly<Record<'stop' | 'start' | 'help', string>>

export function generalDraft({ name, country, tracking }: WorkspaceSettings['general']): GeneralDraft {
  return { name, country, tracking }
}

/** Two letters, as people type them. */
export function generalBody({ name, country, tracking }: GeneralDraft) {
  return { name, country: country.trim().toUpperCase(), tracking }
}

/** Switched on for the first time, the fields hold what most choose. */
export function marketingDraft({ timezone, quietHours, frequencyCap }: WorkspaceSettings['marketing']): MarketingDraft {
  return {
    timezone,
    isQuiet: quietHours !== null,
    ...(quietHours ?? { from: '21:00', to: '08:00' }),
    isCapped: frequencyCap !== null,
    messages: String(frequencyCap?.messages ?? 3),
    days: String(frequencyCap?.days ?? 7),
  }
}

export function marketingBody({ timezone, isQuiet, from, to, isCapped, messages, days }: MarketingDraft) {
  return {
    timezone,
    quietHours: isQuiet ? { from, to } : null,
    frequencyCap: isCapped ? { messages: Number(messages), days: Number(days) } : null,
  }
}

const isWithin = (text: string, most: number): boolean => /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= most

/** The field that is wrong, if one is. */
export function marketingMistake({ isQuiet, from, to, isCapped, messages, days }: MarketingDraft): 'times' | 'sameTimes' | 'cap' | null {
  if (isQuiet && (from === '' || to === '')) return 'times'
  if (isQuiet && from === to) return 'sameTimes'
  return isCapped && !(isWithin(messages, 1_000) && isWithin(days, 90)) ? 'cap' : null
}

export function repliesDraft({ stop, start, help }: WorkspaceSettings['replies']): RepliesDraft {
  return {
    stop: stop ?? '',
    start: start ?? '',
    help: help ?? '',
  }
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** An empty field is no answer. */
export function repliesBody({ stop, start, help }: RepliesDraft) {
  return { stop: orNull(stop), start: orNull(start), help: orNull(help) }
}
