import type { TryFlowBody } from '../../api/calls.ts'
import { propertiesIn } from '../../ui/event-properties.ts'
import { type Draft, writtenFlow } from './draft.ts'

export const CHANNELS = ['email', 'sms', 'push'] as const
type Channel = (typeof CHANNELS)[number]
export const TEXTS = ['firstName', 'lastName', 'email', 'phone', 'tags'] as const

/** For whom a flow is tried: `person`, or without one the example of the other fields. `custom`: the custom properties; `values`: what the event says; both as JSON. */
export type Trial = Readonly<
  Record<(typeof TEXTS)[number], string> & { person: string | null; agrees: readonly Channel[]; custom: string; values: string }
>

export const FIRST_TRIAL: Trial = {
  ...{ person: null, firstName: '', lastName: '', email: 'ada@example.com', phone: '', tags: '' },
  ...{ agrees: CHANNELS, custom: '', values: '' },
}

type TriedDraft = Readonly<{ draft: Draft; flowId: string | null }>

/** What the API is asked; null where the values of the event, or the custom properties, are no JSON object. `flowId`: null of a flow that is not made yet. */
export function bodyOf({ draft, flowId }: TriedDraft, { person, custom, values, ...example }: Trial): TryFlowBody | null {
  const isEvent = draft.trigger.type === 'custom_event'
  const properties = isEvent ? propertiesIn(values) : {}
  const customProperties = person === null ? propertiesIn(custom) : {}
  if (properties === null || customProperties === null) return null
  const has = Object.keys(customProperties).length > 0 && { customProperties: { ...customProperties } }
  return {
    flow: writtenFlow(draft) as TryFlowBody['flow'],
    ...(flowId !== null && { flowId: flowId as NonNullable<TryFlowBody['flowId']> }),
    ...(person === null ? { example: { ...exampleOf(example), ...has } } : { contactId: person as NonNullable<TryFlowBody['contactId']> }),
    ...(isEvent && { properties: { ...properties } }),
  }
}

const exampleOf = ({ tags, agrees, ...texts }: Omit<Trial, 'person' | 'custom' | 'values'>): NonNullable<TryFlowBody['example']> => ({
  ...Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text.trim() === '' ? [] : [[name, text.trim()]]))),
  tags: tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  agrees: [...agrees],
})
