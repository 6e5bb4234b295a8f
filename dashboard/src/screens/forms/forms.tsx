import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { ListedForm } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useLead } from '../../ui/use-lead.ts'
import { AFTER_SAVE } from '../../ui/use-unsaved.ts'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { isComplete, NEW_FORM } from './draft.ts'
import { FormFields } from './form-fields.tsx'
import { useCreateForm, useForms } from './forms.api.ts'
import styles from './forms.module.css'
import { FormSettings } from './settings.tsx'

const columnsIn = ({ ui, forms: words, locale }: Words, slug: string): readonly Column<ListedForm>[] => [
  { key: 'id', header: words.form, cell: ({ id }) => <bdi>{id}</bdi> },
  {
    key: 'list',
    header: words.list,
    cell: ({ list }) => (
      <Link to={paths.list(slug, list.id)} className={styles.name}>
        <bdi>{list.name ?? list.id}</bdi>
      </Link>
    ),
  },
  { key: 'asks', header: words.asks, cell: ({ confirms }) => (confirms ? ui.yes : ui.no) },
  {
    key: 'signUps',
    header: words.signUps,
    numeric: true,
    cell: ({ counts }) => counts?.signUps.toLocaleString(locale) ?? words.notCounted,
  },
  {
    key: 'confirmed',
    header: words.confirmed,
    numeric: true,
    cell: ({ counts, confirms }) => (confirms ? (counts?.confirmed.toLocaleString(locale) ?? words.notCounted) : ui.none),
  },
  { key: 'state', header: words.state, cell: ({ archived }) => (archived ? `○ ${words.archived}` : `● ${words.open}`) },
]

/** The forms that pages show, what each leads to, and how many signed up by it. */
export function Component() {
  const all = useWords()
  const { forms: words } = all
  const slug = useSlug()
  const [isNew, setNew] = useState(false)
  const { data, error, refetch } = useForms()
  const add = <Button onClick={() => setNew(true)}>{words.add}</Button>
  return (
    <Page title={words.title} actions={add}>
      <p>{words.help}</p>
      <FormDialog opened={isNew} onClose={() => setNew(false)} title={words.add}>
        <NewForm onClose={() => setNew(false)} />
      </FormDialog>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={words.empty} action={add} />}
      {data && data.items.length > 0 && (
        <Section title={words.own}>
          <DataTable
            label={words.own}
            columns={columnsIn(all, slug)}
            rows={data.items}
            rowKey={({ id }) => id}
            rowLink={({ id }) => paths.form(slug, id)}
          />
        </Section>
      )}
      {data && <FormSettings settings={data.settings} />}
    </Page>
  )
}

function NewForm({ onClose }: Readonly<{ onClose: () => void }>) {
  const { forms: words } = useWords()
  const slug = useSlug()
  const lead = useLead()
  const creating = useCreateForm(({ id }) => lead(paths.form(slug, id), { state: AFTER_SAVE }))
  return (
    <NewRecordForm
      name={{ label: words.id, help: words.idHelp, maxLength: 120 }}
      first={NEW_FORM}
      verb={words.create}
      creating={creating}
      onCreate={creating.mutate}
      onClose={onClose}
      className={styles.form}
      isReady={isComplete}
    >
      {(draft, change) => <FormFields draft={draft} onChange={change} />}
    </NewRecordForm>
  )
}
