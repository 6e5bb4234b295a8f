import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Page } from '../api/calls.ts'
import { DataTable, type TableProps } from './data-table.tsx'
import { Loading } from './loading.tsx'
import { Pager } from './pager.tsx'
import { Problem } from './problem.tsx'

type Props<Row> = Readonly<{
  result: UseQueryResult<Page<Row>>
  table: Omit<TableProps<Row>, 'rows' | 'stale'>
  /** What stands there without a row. */
  empty: ReactNode
  onMove: (offset: number) => void
}>

/** A page of rows as the API answers it: loading, failed, empty or filled. */
export function PagedTable<Row>({ result, table, empty, onMove }: Props<Row>) {
  const { data, error, refetch, isPlaceholderData } = result
  return (
    <>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && empty}
      {data && data.items.length > 0 && (
        <>
          <DataTable {...table} rows={data.items} stale={isPlaceholderData} />
          <Pager
            offset={data.offset}
            limit={data.limit}
            shown={data.items.length}
            total={data.total}
            hasMore={data.has_more}
            onMove={onMove}
          />
        </>
      )}
    </>
  )
}
