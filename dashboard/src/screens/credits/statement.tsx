import { Link } from 'react-router'
import type { CreditEntry } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useStatement } from './credits.api.ts'

const columnsIn = ({ credits: words, locale, ui }: Words, slug: string): readonly Column<CreditEntry>[] => {
  const number = (count: number) => count.toLocaleString(locale)
  return [
    { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
    { key: 'entry', header: words.entry, cell: ({ entry }) => words.entries[entry] },
    { key: 'amount', header: words.amount, cell: ({ amount }) => number(amount), numeric: true },
    { key: 'balance', header: words.balance, cell: ({ balance }) => number(balance), numeric: true },
    { key: 'held', header: words.held, cell: ({ held }) => number(held), numeric: true },
    {
      key: 'why',
      header: words.why,
      cell: ({ messageId, note }) =>
        messageId === null ? <bdi>{note ?? ui.none}</bdi> : <Link to={paths.message(slug, messageId)}>{words.message}</Link>,
    },
  ]
}

/** The entries of the wallet, the last first. */
export function Statement() {
  const words = useWords()
  const slug = useSlug()
  return (
    <CursorRows pages={useStatement()} empty={<Empty text={words.credits.empty} />}>
      {(rows) => <DataTable label={words.credits.statement} columns={columnsIn(words, slug)} rows={rows} rowKey={({ id }) => id} />}
    </CursorRows>
  )
}
