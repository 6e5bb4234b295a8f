import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import {
  type ContactConsent,
  type FlowsOfPerson,
  type ListsOfPerson,
  type Page,
  type PastProfile,
  queryOf,
  type SenderAddressOption,
  type TemplateOption,
  type TimelineEntry,
} from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'
import { isMoving } from '../../ui/status-tone.ts'

// What the tabs of a person ask for.

const pathOf = (id: string) => `/dashboard/profiles/${encodeURIComponent(id)}`
const keyOf = (id: string, part: string) => [...keys.profiles, 'one', id, part]

/** The newest page, and those behind it as they are asked for; asked again while a message on them may still leave. */
export function useTimeline(id: string) {
  return useCursorPages<TimelineEntry>({
    queryKey: keyOf(id, 'timeline'),
    path: `${pathOf(id)}/timeline`,
    isMoving: ({ kind, status }) => kind === 'message' && isMoving(status ?? ''),
  })
}

/** `at`: a moment, or empty for now. */
export function useConsent(id: string, at: string) {
  return useQuery({
    queryKey: [...keyOf(id, 'consent'), at],
    queryFn: ({ signal }) =>
      client.read<ContactConsent>(`/dashboard/integrations/contacts/${encodeURIComponent(id)}/consent${queryOf({ at })}`, signal),
    placeholderData: keepPreviousData,
  })
}

export function usePast(id: string, at: string) {
  return useQuery({
    queryKey: [...keyOf(id, 'past'), at],
    queryFn: ({ signal }) => client.read<PastProfile>(`${pathOf(id)}/past${queryOf({ at })}`, signal),
    placeholderData: keepPreviousData,
  })
}

/** What a link loads: everything about the person. */
export function exportAddress(id: string, format: 'html' | 'json'): string {
  return outside(`/api/v1${pathOf(id)}/export?format=${format}`)
}

/** The proof of what the person agreed to; `at`: a moment that its report shows as well. */
export function proofAddress(id: string, at: string | null): string {
  return outside(`/api/v1${pathOf(id)}/proof${queryOf({ at: at ?? undefined })}`)
}

export function useListsOfPerson(id: string) {
  return useQuery({
    queryKey: keyOf(id, 'lists'),
    queryFn: ({ signal }) => client.read<ListsOfPerson>(`${pathOf(id)}/lists`, signal),
  })
}

export function useFlowsOfPerson(id: string) {
  return useQuery({
    queryKey: keyOf(id, 'flows'),
    queryFn: ({ signal }) => client.read<FlowsOfPerson>(`${pathOf(id)}/flows`, signal),
  })
}

/** As many as the dialog offers. */
const OFFERED = 100

/** The addresses a mail can come from, and the templates it can be made by. */
export function useSending() {
  const senders = useQuery({
    queryKey: ['sender-addresses', 'offered'],
    queryFn: ({ signal }) => client.read<Page<SenderAddressOption>>(`/dashboard/sender-addresses${queryOf({ limit: OFFERED })}`, signal),
  })
  const templates = useQuery({
    queryKey: [...keys.templates, 'offered'],
    queryFn: ({ signal }) => client.read<Page<TemplateOption>>(`/dashboard/templates${queryOf({ limit: OFFERED })}`, signal),
  })
  return {
    isKnown: senders.data !== undefined && templates.data !== undefined,
    error: senders.error ?? templates.error,
    refetch: () => void (senders.error ? senders : templates).refetch(),
    senders: senders.data?.items ?? [],
    templates: templates.data?.items.filter(({ channel }) => channel === 'email') ?? [],
  }
}

type Mail = Readonly<{ contactId: string; fromEmail: string }> &
  (Readonly<{ templateId: string }> | Readonly<{ subject: string; html: string; text: string }>)

export function useSendMail(onSent: (messageId: string) => void) {
  return useMutation({
    mutationFn: ({ mail, idempotencyKey }: Readonly<{ mail: Mail; idempotencyKey: string }>) =>
      client.write<{ messageId: string }>('/dashboard/messages/email', { body: mail, idempotencyKey }),
    onSuccess: ({ data }) => onSent(data.messageId),
  })
}
