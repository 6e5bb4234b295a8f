import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type InvitedPerson,
  queryOf,
  type SystemWorkspace,
  type SystemWorkspaceDetail,
  type WorkspaceSettings,
  type WorkspaceWithKey,
} from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { keys } from '../../api/query-keys.ts'
import type { Language } from '../../words/language.ts'

export type WorkspaceStatus = SystemWorkspaceDetail['status']
export type WorkspacePlan = SystemWorkspaceDetail['plan']

export const PLANS: readonly WorkspacePlan[] = ['free', 'starter', 'pro', 'enterprise']

export function useWorkspaces(asked: Readonly<{ search: string; status: string }>) {
  return useCursorPages<SystemWorkspace>({
    queryKey: [...keys.system, 'workspaces', asked],
    path: '/dashboard/system/workspaces',
    query: asked,
    keepsShown: true,
  })
}

export function useSystemWorkspace(slug: string) {
  return useQuery({
    queryKey: [...keys.system, 'workspace', slug],
    queryFn: ({ signal }) => client.read<SystemWorkspaceDetail>(`/dashboard/system/workspace${queryOf({ slug })}`, signal),
  })
}

export type NewWorkspace = Readonly<{ slug: string; name: string; plan: WorkspacePlan; country: string; idempotencyKey: string }>

/** The list is asked again after a refusal too: the workspace may have been made by an earlier press. */
export function useCreateWorkspace(onCreated: (created: WorkspaceWithKey) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ idempotencyKey, ...body }: NewWorkspace) =>
      client.write<WorkspaceWithKey>('/dashboard/system/workspaces', { body, idempotencyKey }),
    onSuccess: ({ data }) => onCreated(data),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.system }),
  })
}

export function useCreateKeyOf(workspace: string, onCreated: (key: string) => void) {
  return useMutation({
    mutationFn: () => client.write<Readonly<{ key: string }>>('/dashboard/integrations/api-keys', { body: {}, workspace }),
    onSuccess: ({ data }) => onCreated(data.key),
  })
}

export function useInviteOwner(workspace: string, onInvited: (invited: InvitedPerson) => void) {
  return useMutation({
    mutationFn: (body: Readonly<{ email: string; language: Language }>) =>
      client.write<InvitedPerson>('/dashboard/people', { body: { ...body, role: 'owner' }, workspace }),
    onSuccess: ({ data }) => onInvited(data),
  })
}

type NewStatus = Readonly<{ status: WorkspaceStatus; reason: string }>

export function useMoveWorkspace(workspace: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ status, reason }: NewStatus) =>
      client.write<WorkspaceSettings>('/dashboard/workspace/status', {
        body: { status, ...(status === 'closed' && { slug: workspace }), ...(reason.trim() !== '' && { reason }) },
        workspace,
      }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.system }),
  })
}

export function useChangePlan({ slug, etag }: Pick<SystemWorkspaceDetail, 'slug' | 'etag'>, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (plan: WorkspacePlan) =>
      client.write<WorkspaceSettings>('/dashboard/workspace/plan', { method: 'PUT', body: { plan }, ifMatch: etag, workspace: slug }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.system }),
  })
}
