import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CheckedTemplate, CustomFieldOption, EditedTemplate, Page, SenderAddressOption } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { type Draft, textsOf } from './draft.ts'

export function pathOf(id: string): string {
  return `/dashboard/templates/${encodeURIComponent(id)}`
}

export function keyOf(id: string) {
  return [...keys.templates, 'one', id]
}

export function useTemplate(id: string) {
  return useQuery({ queryKey: keyOf(id), queryFn: ({ signal }) => client.read<EditedTemplate>(pathOf(id), signal) })
}

/** What a change is answered with is shown at once; lists and history are read again. */
function useTemplateChange<Change>(id: string, ask: (change: Change) => ReturnType<typeof client.write<EditedTemplate>>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSuccess: async ({ data }) => {
      queries.setQueryData(keyOf(id), data)
      await queries.invalidateQueries({ queryKey: keys.templates })
    },
  })
}

type Saving = Readonly<{ template: EditedTemplate; draft: Draft; idempotencyKey: string }>

export function useSave(id: string) {
  return useTemplateChange(id, ({ template: { channel, etag }, draft, idempotencyKey }: Saving) =>
    client.write<EditedTemplate>(pathOf(id), { method: 'PUT', body: textsOf(channel, draft), ifMatch: etag, idempotencyKey }),
  )
}

export function useMove(id: string) {
  return useTemplateChange(id, (move: 'archive' | 'restore') => client.write<EditedTemplate>(`${pathOf(id)}/${move}`, { body: {} }))
}

type Copying = Readonly<{ name: string; template: EditedTemplate; draft: Draft; idempotencyKey: string }>

export function useDuplicate(onDone: (id: string) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, template: { channel }, draft, idempotencyKey }: Copying) =>
      client.write<EditedTemplate>('/dashboard/templates', { body: { name, channel, ...textsOf(channel, draft) }, idempotencyKey }),
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.templates })
      onDone(data.id)
    },
  })
}

type Checking = Readonly<{ channel: EditedTemplate['channel']; draft: Draft; contactId: string | null }>

/** Asked while one types: what the texts become, or the sentence that says why not. */
export function useCheck({ channel, draft, contactId }: Checking) {
  return useQuery({
    queryKey: [...keys.templates, 'check', channel, draft, contactId],
    queryFn: async ({ signal }) => {
      const body = { channel, ...textsOf(channel, draft), ...(contactId !== null && { contactId }) }
      return (await client.write<CheckedTemplate>('/dashboard/templates/check', { body, signal })).data
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}

/** A picker shows so many. */
const SHOWN = 100

export function useSenders(isWanted: boolean) {
  return useQuery({
    queryKey: ['senders', 'addresses'],
    queryFn: async ({ signal }) =>
      (await client.read<Page<SenderAddressOption>>(`/dashboard/sender-addresses?limit=${SHOWN}`, signal)).items,
    enabled: isWanted,
  })
}

export function useCustomFields() {
  return useQuery({
    queryKey: ['custom-fields'],
    queryFn: async ({ signal }) => (await client.read<Page<CustomFieldOption>>(`/dashboard/custom-fields?limit=${SHOWN}`, signal)).items,
  })
}

type Test = Readonly<{ to: string; fromEmail: string; templateId: string; idempotencyKey: string }>

export function useSendTest() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ idempotencyKey, ...body }: Test) =>
      client.write<Readonly<{ id: string }>>('/dashboard/messages/email', { body, idempotencyKey }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.messages }),
  })
}
