import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { type CursorPages, rowsOf } from '../api/cursor-pages.ts'
import { useWords } from '../words/words.tsx'
import { Loading } from './loading.tsx'
import { Problem } from './problem.tsx'

type Props<Row> = Readonly<{
  pages: CursorPages<Row>
  /** What stands there without a row. */
  empty: ReactNode
  /** Shows the rows, of which there is at least one. */
  children: (rows: readonly Row[]) => ReactNode
}>

/** Rows that the API pages by a cursor: loading, failed, empty or filled, and the way to those behind them. */
export function CursorRows<Row>({ pages, empty, children }: Props<Row>) {
  const { ui } = useWords()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages
  const rows = rowsOf(pages)
  return (
    <>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && rows.length === 0 && empty}
      {rows.length > 0 && children(rows)}
      {hasNextPage && (
        <div>
          <Button variant="default" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {ui.more}
          </Button>
        </div>
      )}
    </>
  )
}
