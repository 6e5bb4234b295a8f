import { Button } from '@mantine/core'
import type { ListedErasure } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useErasures } from './erasures.api.ts'

const columnsIn = ({ erasures: words, messages }: Words): readonly Column<ListedErasure>[] => [
  { key: 'person', header: words.person, cell: ({ contactId }) => <bdi dir="ltr">{contactId}</bdi> },
  { key: 'state', header: messages.status, cell: ({ state }) => <Status word={state} /> },
  { key: 'asked', header: words.began, cell: ({ askedAt }) => <Time at={askedAt} inTable /> },
  { key: 'finished', header: words.finished, cell: ({ finishedAt }) => <Time at={finishedAt} inTable /> },
]

/** Who was forgotten: by id, since nothing else is left. */
export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useErasures()
  const rows = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Page title={words.erasures.title}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && rows.length === 0 && <Empty text={words.erasures.empty} />}
      {rows.length > 0 && (
        <DataTable
          label={words.erasures.title}
          columns={columnsIn(words)}
          rows={rows}
          rowKey={({ contactId }) => contactId}
          rowLink={({ contactId }) => paths.erasure(slug, contactId)}
        />
      )}
      {hasNextPage && (
        <Button variant="default" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.timeline.older}
        </Button>
      )}
    </Page>
  )
}
