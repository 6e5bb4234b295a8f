import { type ReactNode, useState } from 'react'
import { rowsOf } from '../api/cursor-pages.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { ChosenLetters } from './chosen-letters.tsx'
import { CursorRows } from './cursor-rows.tsx'
import { type Choosing, type Column, DataTable } from './data-table.tsx'
import { type AskedLetters, type Letter, type LettersPath, useDeadLetters } from './dead-letters.api.ts'
import { Empty } from './empty.tsx'
import { Status } from './status.tsx'
import { Time } from './time.tsx'

const columnsIn = (
  { deadLetters: words, locale }: Words,
  { what, others = [] }: Pick<Props, 'what' | 'others'>,
): readonly Column<Letter>[] => [
  {
    key: 'what',
    header: words.what,
    cell: (letter) =>
      what(letter) ?? (
        <span>
          {words.sources[letter.source]} <bdi dir="ltr">{letter.reference}</bdi>
        </span>
      ),
  },
  ...others,
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
function useChosen(rows: readonly Letter[]) {
  const { bulk, deadLetters: words } = useWords()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const choosing: Choosing<Letter> = {
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

type Props = Readonly<{
  path: LettersPath
  asked: AskedLetters
  asksFirst?: boolean
  /** What a letter is about; null where its source and its place say that. */
  what: (letter: Letter) => ReactNode
  /** Columns that stand behind that. */
  others?: readonly Column<Letter>[]
}>

/** What failed too often and was set aside, newest first, and what can be done with those that are chosen. */
export function DeadLetters({ path, asked, asksFirst = false, ...shown }: Props) {
  const all = useWords()
  const { deadLetters: words } = all
  const pages = useDeadLetters(path, asked)
  const { chosen, choosing, clear } = useChosen(rowsOf(pages))
  return (
    <>
      <ChosenLetters path={path} chosen={chosen} asksFirst={asksFirst} onClear={clear} />
      <CursorRows pages={pages} empty={<Empty text={words.empty} />}>
        {(rows) => (
          <DataTable label={words.title} columns={columnsIn(all, shown)} rows={rows} rowKey={({ id }) => id} choosing={choosing} />
        )}
      </CursorRows>
    </>
  )
}
