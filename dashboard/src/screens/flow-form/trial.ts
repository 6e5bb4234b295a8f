import type { TryFlowBody } from '../../api/calls.ts'
import { propertiesIn } from '../../ui/event-properties.ts'
import { type Draft, writtenFlow } from './draft.ts'

export const CHANNELS = ['email', 'sms', 'push'] as const
type Channel = (typeof CHANNELS)[number]
export const TEXTS = ['firstName', 'lastName', 'email', 'phone', 'tags'] as const

/** For whom a flow is tried: `person`, or without one the example of the other fields. `values`: what the event says, as JSON. */
export type Trial = Readonly<Record<(typeof TEXTS)[number], string> & { person: string | null; agrees: readonly Channel[]; values: string }>

export const FIRST_TRIAL: Trial = {
  ...{ person: null, firstName: '', lastName: '', email: 'ada@example.com', phone: '', tags: '' },
  ...{ agrees: CHANNELS, values: '' },
}

/** What the API is asked; null where the values of the event are no JSON object. */
export function bodyOf(draft: Draft, { person, values, ...example }: Trial): TryFlowBody | null {
  const isEvent = draft.trigger.type === 'custom_event'
  const properties = isEvent ? propertiesIn(values) : {}
  if (properties === null) return null
  return {
    flow: writtenFlow(draft) as TryFlowBody['flow'],
    ...(person === null ? { example: exampleOf(example) } : { contactId: person as NonNullable<TryFlowBody['contactId']> }),
    ...(isEvent && { properties: { ...properties } }),
  }
}

const exampleOf = ({ tags, agrees, ...texts }: Omit<Trial, 'person' | 'values'>): NonNullable<TryFlowBody['example']> => ({
  ...Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]))),
  tags: tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  agrees: [...agrees],
})
