import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { type CheckedCredits, type CreditEntry, type Credits, type CreditUse, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'

type Days = Readonly<{ from: string; to: string; zone: string }>

export function useCredits() {
  return useQuery({
    queryKey: [...keys.credits, 'balance'],
    queryFn: ({ signal }) => client.read<Credits>('/dashboard/credits', signal),
    refetchInterval: ({ state }) => nextPoll(OVERVIEW_MS, state),
  })
}

export function useCreditUse(days: Days) {
  return useQuery({
    queryKey: [...keys.credits, 'use', days],
    queryFn: ({ signal }) => client.read<CreditUse>(`/dashboard/credits/use${queryOf(days)}`, signal),
    placeholderData: keepPreviousData,
  })
}

/** Where the statement of a period is, as a file. */
export function statementFile(days: Days): string {
  return outside(`/api/v1/dashboard/credits/statement/file${queryOf(days)}`)
}

export function useStatement() {
  return useCursorPages<CreditEntry>({ queryKey: [...keys.credits, 'statement'], path: '/dashboard/credits/statement' })
}

/** Reads the whole wallet: asked when somebody presses. */
export function useCheckCredits() {
  return useMutation({ mutationFn: () => client.read<CheckedCredits>('/dashboard/credits/check') })
}
