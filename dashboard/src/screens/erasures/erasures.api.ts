import type { ListedErasure } from '../../api/calls.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { keys } from '../../api/query-keys.ts'

/** The newest page, and those behind it as they are asked for; asked again while one of them runs. */
export function useErasures() {
  return useCursorPages<ListedErasure>({
    queryKey: [...keys.erasures, 'list'],
    path: '/dashboard/erasures',
    isMoving: ({ state }) => state === 'running',
  })
}
