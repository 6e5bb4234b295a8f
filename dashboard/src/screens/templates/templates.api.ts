import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type EditedTemplate, type LibraryTemplate, type Page, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const LIMIT = 50

export type TemplateFilter = Readonly<{ channel: string; archived: string }>

export function useTemplates(filter: TemplateFilter, offset: number) {
  return useQuery({
    queryKey: [...keys.templates, filter, offset],
    queryFn: ({ signal }) =>
      client.read<Page<LibraryTemplate>>(`/dashboard/templates/library${queryOf({ ...filter, limit: LIMIT, offset })}`, signal),
    placeholderData: keepPreviousData,
  })
}

export type NewTemplate = Readonly<{ name: string; channel: EditedTemplate['channel']; starter: string; idempotencyKey: string }>

/** It begins with the least that its channel needs. */
const textsOf = ({ channel, name, starter }: NewTemplate) => {
  if (channel === 'sms') return { body: starter }
  return channel === 'push' ? { push: { title: name, body: starter } } : { subject: name, html: `<p>${starter}</p>` }
}

export function useCreateTemplate(onDone: (id: string) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (template: NewTemplate) => {
      const { name, channel, idempotencyKey } = template
      return client.write<EditedTemplate>('/dashboard/templates', { body: { name, channel, ...textsOf(template) }, idempotencyKey })
    },
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.templates })
      onDone(data.id)
    },
  })
}
