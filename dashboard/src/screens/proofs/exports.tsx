import { Link } from 'react-router'
import type { AuditEntry } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useExports } from './proofs.api.ts'

const columnsIn = ({ proofs: words, audit }: Words, slug: string): readonly Column<AuditEntry>[] => [
  { key: 'at', header: audit.at, cell: ({ at }) => <Time at={at} inTable /> },
  { key: 'by', header: audit.by, cell: ({ by }) => <bdi dir="ltr">{by}</bdi> },
  { key: 'what', header: audit.what, cell: ({ what }) => (what === 'proof' ? words.proof : words.export) },
  {
    key: 'of',
    header: words.of,
    cell: ({ thing }) =>
      thing === null ? (
        words.everybody
      ) : (
        <Link to={paths.profile(slug, thing)}>
          <bdi dir="ltr">{thing}</bdi>
        </Link>
      ),
  },
]

/** Shows which proof or export was asked for in the dashboard, when and by whom, newest first. */
export function Exports() {
  const words = useWords()
  const slug = useSlug()
  const { proofs } = words
  return (
    <>
      <p>{proofs.exportsHelp}</p>
      <CursorRows pages={useExports()} empty={<p>{proofs.noExport}</p>}>
        {(rows) => <DataTable label={proofs.exports} columns={columnsIn(words, slug)} rows={rows} rowKey={({ id }) => id} />}
      </CursorRows>
    </>
  )
}
