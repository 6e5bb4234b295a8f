import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormChanges, ShownForm, ShownForms } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import type { Saving } from '../../ui/use-edited.ts'
import { bodyOf, type Draft } from './draft.ts'

const FORMS = '/dashboard/forms'
const pathOf = (id: string): string => `${FORMS}/${encodeURIComponent(id)}`

export function useForms() {
  return useQuery({ queryKey: [...keys.forms, 'all'], queryFn: ({ signal }) => client.read<ShownForms>(FORMS, signal) })
}

export function useForm(id: string) {
  return useQuery({ queryKey: [...keys.forms, 'one', id], queryFn: ({ signal }) => client.read<ShownForm>(pathOf(id), signal) })
}

export function useFormChanges(id: string) {
  return useQuery({
    queryKey: [...keys.forms, 'changes', id],
    queryFn: ({ signal }) => client.read<FormChanges>(`${pathOf(id)}/history`, signal),
  })
}

type NewForm = Readonly<{ name: string; draft: Draft; idempotencyKey: string }>

export function useCreateForm(onCreated: (form: ShownForm) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, draft, idempotencyKey }: NewForm) =>
      client.write<ShownForm>(FORMS, { body: { id: name, ...bodyOf(draft) }, idempotencyKey }),
    onSuccess: ({ data }) => onCreated(data),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.forms }),
  })
}

/** All is read again, after a refusal too: somebody else may have changed it. */
export function useEditForm(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ draft, etag, idempotencyKey }: Saving<Draft>) =>
      client.write<ShownForm>(pathOf(id), {
        method: 'PUT',
        body: { ...bodyOf(draft), archived: draft.archived },
        ifMatch: etag,
        idempotencyKey,
      }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.forms }),
  })
}

export type SettingsDraft = Readonly<{ enabled: boolean; lines: string }>
type Settings = ShownForms['settings']

export function useSetFormSettings(originsOf: (draft: SettingsDraft) => readonly string[], onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ draft, etag, idempotencyKey }: Saving<SettingsDraft>) =>
      client.write<Settings>('/dashboard/form-settings', {
        method: 'PUT',
        body: { enabled: draft.enabled, origins: originsOf(draft) },
        ifMatch: etag,
        idempotencyKey,
      }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.forms }),
  })
}

/** A key for the source of a page, which is in no other answer. */
export function useCreatePageKey(name: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.write<Readonly<{ key: string }>>('/dashboard/integrations/publishable-keys', { body: { name } }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tokens }),
  })
}
