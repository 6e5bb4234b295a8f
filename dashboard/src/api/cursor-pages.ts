import { type InfiniteData, type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query'
import { queryOf } from './calls.ts'
import { client } from './client.ts'
import { MOVING_MS, nextPoll } from './polling.ts'

type CursorPage<Row> = Readonly<{ items: readonly Row[]; next_cursor: string | null }>
export type CursorPages<Row> = UseInfiniteQueryResult<InfiniteData<CursorPage<Row>>>

/** `isMoving`: a row that may change by itself, for which the screen asks again. `keepsShown`: rows of another query stay until the new ones come. */
type CursorQuery<Row> = Readonly<{
  queryKey: QueryKey
  path: string
  query?: Readonly<Record<string, string | number | undefined>>
  isMoving?: (row: Row) => boolean
  keepsShown?: boolean
}>

/** The first page, and those behind it as they are asked for. */
export function useCursorPages<Row>({ queryKey, path, query, isMoving, keepsShown = false }: CursorQuery<Row>): CursorPages<Row> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => client.read<CursorPage<Row>>(`${path}${queryOf({ ...query, after: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state }) =>
      isMoving !== undefined && state.data?.pages.some(({ items }) => items.some(isMoving)) ? nextPoll(MOVING_MS, state) : false,
    placeholderData: (shown) => (keepsShown ? shown : undefined),
  })
}

/** The rows of all pages that were read so far. */
export function rowsOf<Row>({ data }: CursorPages<Row>): readonly Row[] {
  return data?.pages.flatMap(({ items }) => items) ?? []
}
