import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ShownTag } from '../../api/calls.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { TagBadge } from './tag-badge.tsx'
import { EditTag, NewTag } from './tag-forms.tsx'
import { useTags } from './tags.api.ts'

const columnsIn = ({ ui, tags: words }: Words, onChange: (id: string) => void): readonly Column<ShownTag>[] => [
  { key: 'name', header: words.name, cell: (tag) => <TagBadge tag={tag} /> },
  { key: 'color', header: words.color, cell: ({ color }) => (color === null ? words.noColor : words.colors[color]) },
  {
    key: 'change',
    header: ui.change,
    cell: ({ id, name }) => (
      <Button variant="default" size="compact-xs" onClick={() => onChange(id)} aria-label={words.changeOf(name)}>
        {ui.change}
      </Button>
    ),
  },
]

/** The words by which people find their campaigns again. */
export function Component() {
  const all = useWords()
  const { tags: words } = all
  const [isNew, setNew] = useState(false)
  const [changed, setChanged] = useState<string | null>(null)
  const { data, error, refetch } = useTags()
  const tag = data?.items.find(({ id }) => id === changed)
  const add = <Button onClick={() => setNew(true)}>{words.add}</Button>
  return (
    <Page title={words.title} actions={add}>
      <FormDialog opened={isNew} onClose={() => setNew(false)} title={words.add}>
        <NewTag onClose={() => setNew(false)} />
      </FormDialog>
      <FormDialog opened={tag !== undefined} onClose={() => setChanged(null)} title={words.changeTitle}>
        {tag && <EditTag tag={tag} onClose={() => setChanged(null)} />}
      </FormDialog>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={words.empty} action={add} />}
      {data && data.items.length > 0 && (
        <DataTable label={words.title} columns={columnsIn(all, setChanged)} rows={data.items} rowKey={({ id }) => id} />
      )}
    </Page>
  )
}
