import type { ListedErasure } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
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
  return (
    <Page title={words.erasures.title}>
      <CursorRows pages={useErasures()} empty={<Empty text={words.erasures.empty} />}>
        {(rows) => (
          <DataTable
            label={words.erasures.title}
            columns={columnsIn(words)}
            rows={rows}
            rowKey={({ contactId }) => contactId}
            rowLink={({ contactId }) => paths.erasure(slug, contactId)}
          />
        )}
      </CursorRows>
    </Page>
  )
}
