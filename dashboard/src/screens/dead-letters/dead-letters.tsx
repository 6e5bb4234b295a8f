import { Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { ShownDeadLetter } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Choosing, type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { ChosenLetters } from './chosen-letters.tsx'
import { useConsumers, useDeadLetters } from './dead-letters.api.ts'

const columnsIn = ({ find, deadLetters: words, locale }: Words, slug: string): readonly Column<ShownDeadLetter>[] => [
  {
    key: 'what',
    header: words.what,
    cell: ({ source, reference, messageId }) =>
      messageId === null ? (
        <span>
          {words.sources[source]} <bdi dir="ltr">{reference}</bdi>
        </span>
      ) : (
        <Link to={paths.message(slug, messageId)}>
          {find.message} <bdi dir="ltr">{messageId}</bdi>
        </Link>
      ),
  },
  { key: 'consumer', header: words.consumer, cell: ({ consumer }) => <bdi dir="ltr">{consumer}</bdi> },
  {
    key: 'error',
    header: words.error,
    cell: ({ errorClass, error }) => (
      <bdi lang="en" dir="ltr">
        {errorClass}: {error}
      </bdi>
    ),
  },
  { key: 'tries', header: words.tries, numeric: true, cell: ({ attempts }) => attempts.toLocaleString(locale) },
  { key: 'since', header: words.since, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} inTable /> },
  { key: 'state', header: words.state, cell: ({ state }) => <Status word={state} /> },
]

/** Those that are chosen, of the rows that are shown: what is settled leaves them. */
function useChosen(rows: readonly ShownDeadLetter[]) {
  const { bulk, deadLetters: words } = useWords()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const choosing: Choosing<ShownDeadLetter> = {
    isChosen: ({ id }) => ids.has(id),
    onChoose: (some, chosen) =>
      setIds((current) => {
        const named = some.map(({ id }) => id)
        return new Set(chosen ? [...current, ...named] : [...current].filter((id) => !named.includes(id)))
      }),
    label: ({ reference }) => words.choose(reference),
    labelOfAll: bulk.chooseAll,
  }
  return { chosen: rows.filter(({ id }) => ids.has(id)), choosing, clear: () => setIds(new Set()) }
}

/** What failed too often and was set aside, newest first. */
export function Component() {
  const all = useWords()
  const { deadLetters: words } = all
  const slug = useSlug()
  const [search, setSearch] = useSearchParams()
  const consumer = search.get('consumer') ?? ''
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useDeadLetters(consumer)
  const rows = data?.pages.flatMap(({ items }) => items) ?? []
  const { chosen, choosing, clear } = useChosen(rows)
  return (
    <Page title={words.title}>
      <p>{words.help}</p>
      <ConsumerFilter consumer={consumer} onChange={(next) => setSearch(next === '' ? {} : { consumer: next }, { replace: true })} />
      <ChosenLetters chosen={chosen} onClear={clear} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && rows.length === 0 && <Empty text={words.empty} />}
      {rows.length > 0 && (
        <DataTable label={words.title} columns={columnsIn(all, slug)} rows={rows} rowKey={({ id }) => id} choosing={choosing} />
      )}
      {hasNextPage && (
        <div>
          <Button variant="default" size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {all.timeline.older}
          </Button>
        </div>
      )}
    </Page>
  )
}

function ConsumerFilter({ consumer, onChange }: Readonly<{ consumer: string; onChange: (consumer: string) => void }>) {
  const { deadLetters: words } = useWords()
  const { data: found = [], error, refetch } = useConsumers()
  const known = found.map((one) => ({ value: one.consumer, label: words.ofConsumer(one.consumer, one.letters) }))
  const isNamed = consumer === '' || found.some((one) => one.consumer === consumer)
  return (
    <search>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <NativeSelect
        label={words.consumer}
        value={consumer}
        data={[{ value: '', label: words.all }, ...known, ...(isNamed ? [] : [{ value: consumer, label: consumer }])]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </search>
  )
}
