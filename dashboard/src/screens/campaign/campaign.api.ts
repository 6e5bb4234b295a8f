import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Audience, type Campaign, type CampaignPreview, type Page, type Profile, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'

const pathOf = (id: string): string => `/dashboard/campaigns/${encodeURIComponent(id)}`
const SCHEDULED_MS = 15_000

/** Asked again while it may move by itself. */
export function useCampaign(id: string) {
  return useQuery({
    queryKey: [...keys.campaigns, id],
    queryFn: ({ signal }) => client.read<Campaign>(pathOf(id), signal),
    refetchInterval: ({ state }) => {
      if (state.data?.status === 'sending') return nextPoll(MOVING_MS, state)
      return state.data?.status === 'scheduled' ? nextPoll(SCHEDULED_MS, state) : false
    },
  })
}

type Move = Readonly<{ move: string; at?: string; texts?: 'newest' }>
type MoveOnce = Move & Readonly<{ idempotencyKey: string }>

export function useMove(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ idempotencyKey, ...body }: MoveOnce) => client.write<Campaign>(`${pathOf(id)}/moves`, { body, idempotencyKey }),
    onSuccess: ({ data }) => {
      queries.setQueryData([...keys.campaigns, id], data)
      onDone()
    },
    // A move that was refused says that somebody else was there first.
    onSettled: () => queries.invalidateQueries({ queryKey: keys.campaigns }),
  })
}

/** How many may get it now; for what asks before a start. */
export function useAudience({ listId, channel }: Pick<Campaign, 'listId' | 'channel'>, isAsked: boolean) {
  return useQuery({
    queryKey: [...keys.campaigns, 'audience', listId, channel],
    queryFn: ({ signal }) => client.read<Audience>(`/dashboard/campaigns/audience${queryOf({ listId: listId ?? '', channel })}`, signal),
    enabled: isAsked && listId !== null,
  })
}

/** The member of a list whom a preview shows before anybody is chosen. */
export function useFirstMember(listId: string | null) {
  return useQuery({
    queryKey: [...keys.profiles, 'first of', listId],
    queryFn: async ({ signal }) => {
      const { items } = await client.read<Page<Profile>>(`/dashboard/profiles${queryOf({ segmentId: listId ?? '', limit: 1 })}`, signal)
      return items[0]?.id ?? null
    },
    enabled: listId !== null,
  })
}

type PreviewOf = Readonly<{ campaign: Campaign; contact: string | null; variant: number | null }>

/** What a person would get. It sends and writes nothing: a read by its nature, with an address in its body. */
export function usePreview({ campaign, contact, variant }: PreviewOf) {
  const body = { contact, ...(variant !== null && { variant }) }
  return useQuery({
    queryKey: [...keys.campaigns, 'preview', campaign.id, campaign.etag, campaign.status, body],
    queryFn: async ({ signal }) => (await client.write<CampaignPreview>(`${pathOf(campaign.id)}/preview`, { body, signal })).data,
    enabled: contact !== null && contact !== '',
    retry: false,
  })
}

type WantedPart = Readonly<{ variant: number; part: 'html' | 'text'; images: boolean }>

/** What a frame loads. */
export function previewAddress(id: string, contactId: string, { variant, part, images }: WantedPart): string {
  return outside(
    `/api/v1${pathOf(id)}/preview/${encodeURIComponent(contactId)}${queryOf({ variant, part, images: images ? 'https' : undefined })}`,
  )
}

export type TestCopy = Readonly<{ to?: string; variant?: number }>

export function useTestCopy(id: string) {
  return useMutation({
    mutationFn: (body: TestCopy) => client.write<Readonly<{ messageId: string; to: string }>>(`${pathOf(id)}/test`, { body }),
  })
}
