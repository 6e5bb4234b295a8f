import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ListedCustomField } from '../../api/calls.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { EditField, NewField } from './field-forms.tsx'
import { useFields } from './fields.api.ts'

const columnsIn = ({ ui, fields: words, locale }: Words, onChange: (id: string) => void): readonly Column<ListedCustomField>[] => [
  { key: 'label', header: words.label, cell: ({ label }) => <bdi>{label}</bdi> },
  { key: 'key', header: words.key, cell: ({ key }) => <bdi>{key}</bdi> },
  { key: 'kind', header: words.kind, cell: ({ kind }) => words.kinds[kind] },
  {
    key: 'options',
    header: words.options,
    numeric: true,
    cell: ({ options }) => (options === 0 ? ui.none : options.toLocaleString(locale)),
  },
  { key: 'changed', header: words.changed, cell: ({ updatedAt }) => <Time at={updatedAt} inTable /> },
  {
    key: 'change',
    header: ui.change,
    cell: ({ id, label }) => (
      <Button variant="default" size="compact-xs" onClick={() => onChange(id)} aria-label={words.changeOf(label)}>
        {ui.change}
      </Button>
    ),
  },
]

/** What profiles have beside the built-in fields: each described, so that people can choose it. */
export function Component() {
  const all = useWords()
  const { fields: words } = all
  /** The field that is changed, or `new`. */
  const [open, setOpen] = useState<string | null>(null)
  const { data, error, refetch } = useFields()
  const close = () => setOpen(null)
  const add = <Button onClick={() => setOpen('new')}>{words.add}</Button>
  return (
    <Page title={words.title} actions={add}>
      <FormDialog opened={open === 'new'} onClose={close} title={words.add}>
        <NewField onClose={close} />
      </FormDialog>
      <FormDialog opened={open !== null && open !== 'new'} onClose={close} title={words.changeTitle}>
        {open !== null && <EditField id={open} onClose={close} />}
      </FormDialog>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={words.empty} action={add} />}
      {data && data.items.length > 0 && (
        <DataTable label={words.title} columns={columnsIn(all, setOpen)} rows={data.items} rowKey={({ id }) => id} />
      )}
    </Page>
  )
}
