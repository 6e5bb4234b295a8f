import { useQueryClient } from '@tanstack/react-query'
import type { ShownDeadLetter, SystemDeadLetter } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { useCursorPages } from '../api/cursor-pages.ts'
import { keys } from '../api/query-keys.ts'

/** Which dead letters: those of the workspace, or those of the installation, which are its operators'. */
export type LettersPath = '/dashboard/dead-letters' | '/dashboard/system/dead-letters'

/** One of the installation says of which workspace it is. */
export type Letter = ShownDeadLetter & Partial<SystemDeadLetter>

export type AskedLetters = Readonly<{ consumer: string; workspaceId?: string }>

/** The newest page, and those behind it as they are asked for; asked again while one of them is being tried. */
export function useDeadLetters(path: LettersPath, asked: AskedLetters) {
  return useCursorPages<Letter>({
    queryKey: [...keys.deadLetters, path, asked],
    path,
    query: asked,
    isMoving: ({ state }) => state === 'redriving',
  })
}

/** `refresh`: all are read again, after a refusal too: somebody else may have been faster. */
export function useSettle(path: LettersPath) {
  const queries = useQueryClient()
  const outdated = [keys.deadLetters, keys.overview, keys.messages, keys.system]
  return {
    retry: (id: string) => client.write<ShownDeadLetter>(`${path}/${id}/retry`, { body: {} }),
    discard: (id: string, reason: string) => client.write<ShownDeadLetter>(`${path}/${id}/discard`, { body: { reason } }),
    refresh: () => Promise.all(outdated.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  }
}
