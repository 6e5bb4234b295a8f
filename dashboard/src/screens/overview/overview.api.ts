import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Checklist, ExampleData, Figures, Overview, Page, SenderAddressOption } from '../../api/calls.ts'
import { queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

type FiguresQuery = Readonly<{ from: string; to: string; step: 'day' | 'hour'; zone: string }>

export function useFigures(asked: FiguresQuery) {
  return useQuery({
    queryKey: [...keys.overview, 'figures', asked],
    queryFn: ({ signal }) => client.read<Figures>(`/dashboard/figures${queryOf(asked)}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => nextPoll(OVERVIEW_MS, state),
  })
}

const isMoving = (now: Overview | undefined): boolean => now?.campaigns.some(({ status }) => status === 'sending') === true

/** More often while a campaign is sent. */
export function useOverview() {
  return useQuery({
    queryKey: [...keys.overview, 'now'],
    queryFn: ({ signal }) => client.read<Overview>('/dashboard/overview', signal),
    refetchInterval: ({ state }) => nextPoll(isMoving(state.data) ? MOVING_MS : OVERVIEW_MS, state),
  })
}

/** Asked only while it is shown. */
export function useChecklist(shown: boolean) {
  return useQuery({
    queryKey: [...keys.overview, 'checklist'],
    queryFn: ({ signal }) => client.read<Checklist>('/dashboard/checklist', signal),
    refetchInterval: ({ state }) => nextPoll(MOVING_MS, state),
    enabled: shown,
  })
}

export function useMakeExamples() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.write<ExampleData>('/dashboard/examples', { body: {} }),
    onSuccess: () => queries.invalidateQueries(),
  })
}

/** A mail to the one who presses, from the first address that may be sent from. */
export function useSendFirst(to: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (mail: Readonly<{ subject: string; html: string; noSender: string }>) => {
      const { items } = await client.read<Page<SenderAddressOption>>('/dashboard/sender-addresses?limit=1')
      const fromEmail = items[0]?.value
      if (fromEmail === undefined) throw new Error(mail.noSender)
      const { subject, html } = mail
      return client.write<unknown>('/dashboard/messages/email', { body: { to, fromEmail, subject, html } })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.overview }),
  })
}
