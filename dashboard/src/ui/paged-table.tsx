import { Button, Group } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Page } from '../api/calls.ts'
import { useWords } from '../words/words.tsx'
import { DataTable, type TableProps } from './data-table.tsx'
import { Loading } from './loading.tsx'
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
          <Pager page={data} onMove={onMove} />
        </>
      )}
    </>
  )
}

type PagerProps = Readonly<{ page: Page<unknown>; onMove: (offset: number) => void }>

/** Which rows are shown, of how many, and the ways to the others. */
function Pager({ page: { offset, limit, items, total, has_more: hasMore }, onMove }: PagerProps) {
  const { ui } = useWords()
  return (
    <Group gap="sm">
      <span>{ui.range(items.length === 0 ? 0 : offset + 1, offset + items.length, total)}</span>
      <Button variant="default" size="compact-sm" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
        {ui.previous}
      </Button>
      <Button variant="default" size="compact-sm" disabled={!hasMore} onClick={() => onMove(offset + limit)}>
        {ui.next}
      </Button>
    </Group>
  )
}
