import { useQuery } from '@tanstack/react-query'
import { type List, type Page, queryOf, type TemplateOption } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'

// What forms offer to choose from.

/** As much as one page of a picker holds, and as many pages as a field offers. */
const LIMIT = 100
const PAGES = 10

/** The entries of a picker, a thousand at most. */
async function allOf<Item>(path: string, signal: AbortSignal): Promise<readonly Item[]> {
  const items: Item[] = []
  for (let page = 0; page < PAGES; page++) {
    const next = await client.read<Page<Item>>(`${path}${queryOf({ limit: LIMIT, offset: page * LIMIT })}`, signal)
    items.push(...next.items)
    if (!next.has_more) break
  }
  return items
}

export function useLists() {
  return useQuery({ queryKey: [...keys.lists, 'to choose'], queryFn: ({ signal }) => allOf<List>('/dashboard/lists', signal) })
}

export function useTemplates() {
  return useQuery({
    queryKey: [...keys.templates, 'to choose'],
    queryFn: ({ signal }) => allOf<TemplateOption>('/dashboard/templates', signal),
  })
}

const SENDERS = { email: '/dashboard/sender-addresses', sms: '/dashboard/sms-sender-ids' } as const

export function useSenders(channel: keyof typeof SENDERS) {
  return useQuery({ queryKey: ['senders', channel], queryFn: ({ signal }) => allOf<Option>(SENDERS[channel], signal) })
}

type Option = Readonly<{ value: string; label: string }>

/** One that is chosen stays a choice, also where it is offered no more: a template that was archived. */
export function shownOptions(options: readonly Option[], chosen: string): readonly Option[] {
  return chosen === '' || options.some(({ value }) => value === chosen) ? options : [...options, { value: chosen, label: chosen }]
}
