import { Alert, Button, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { type FormChanges, queryOf, type ShownForm, type ShownForms } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { outside } from '../../prefix.ts'
import { Code } from '../../ui/code.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { MailFrame } from '../../ui/mail-frame.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '../../words/language.ts'
import { useWords } from '../../words/words.tsx'
import { snippetOf } from './draft.ts'
import { EditForm } from './edit-form.tsx'
import { useCreatePageKey, useForm, useFormChanges, useForms } from './forms.api.ts'
import styles from './forms.module.css'

/** One form: what it leads to, how many signed up by it, the tag for a page, and what was done with it. */
export function Component() {
  const { forms: words, ui } = useWords()
  const slug = useSlug()
  const { id = '' } = useParams()
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  const { data, error, refetch } = useForm(id)
  const { data: all } = useForms()
  const change = data && <Button onClick={() => setOpen(true)}>{ui.change}</Button>
  return (
    <Page title={id} back={{ to: paths.forms(slug), text: words.title }} actions={change}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <FormDialog opened={isOpen} onClose={close} title={words.changeTitle}>
            <EditForm form={data} onClose={close} />
          </FormDialog>
          {all && <Obstacle form={data} settings={all.settings} />}
          <FormFacts form={data} />
          <Looks id={data.id} asks={data.confirmation !== null} />
          {all && <InPage id={data.id} script={all.script} />}
          <Changes id={data.id} />
        </>
      )}
    </Page>
  )
}

/** Why no page can use it now. */
function Obstacle({ form, settings }: Readonly<{ form: ShownForm; settings: ShownForms['settings'] }>) {
  const { forms: words } = useWords()
  const why = form.archived
    ? words.archivedHelp
    : !settings.enabled
      ? words.disabledHelp
      : settings.origins.length === 0
        ? words.noOriginsHelp
        : null
  if (why === null) return null
  return (
    <Alert variant="default" title={words.takesNone}>
      {why}
    </Alert>
  )
}

function FormFacts({ form }: Readonly<{ form: ShownForm }>) {
  const { ui, forms: words, locale } = useWords()
  const slug = useSlug()
  const { list, confirmation, counts, archived } = form
  const shown = (count: number | undefined): string => count?.toLocaleString(locale) ?? words.notCounted
  return (
    <Facts
      items={[
        [words.signUps, shown(counts?.signUps)],
        ...(confirmation === null ? [] : [[words.confirmed, shown(counts?.confirmed)] as const]),
        [
          words.list,
          <Link key="list" to={paths.list(slug, list.id)} className={styles.name}>
            <bdi>{list.name ?? list.id}</bdi>
          </Link>,
        ],
        [words.asks, confirmation === null ? ui.no : ui.yes],
        ...(confirmation === null
          ? []
          : [
              [
                words.template,
                <Link key="template" to={paths.template(slug, confirmation.template.id)} className={styles.name}>
                  <bdi>{confirmation.template.name ?? confirmation.template.id}</bdi>
                </Link>,
              ] as const,
              [
                words.from,
                <bdi key="from" dir="ltr" className={styles.name}>
                  {confirmation.from}
                </bdi>,
              ] as const,
            ]),
        [words.state, archived ? `○ ${words.archived}` : `● ${words.open}`],
      ]}
    />
  )
}

/** As a visitor sees it; a page gives it its fonts and colours. `asks`: it is another page then. */
function Looks({ id, asks }: Readonly<{ id: string; asks: boolean }>) {
  const { forms: words, locale } = useWords()
  const [language, setLanguage] = useState<string>(locale)
  const address = outside(`/api/v1/dashboard/forms/${encodeURIComponent(id)}/preview${queryOf({ lang: language })}`)
  return (
    <Section title={words.looks}>
      <p>{words.looksHelp}</p>
      <NativeSelect
        label={words.pageLanguage}
        value={language}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        onChange={(event) => setLanguage(event.currentTarget.value)}
      />
      <MailFrame key={String(asks)} address={address} title={words.looks} low />
    </Section>
  )
}

function InPage({ id, script }: Readonly<{ id: string; script: string }>) {
  const { forms: words } = useWords()
  const slug = useSlug()
  const creating = useCreatePageKey(id)
  const key = creating.data?.data.key ?? null
  return (
    <Section title={words.inPage}>
      <p>{words.inPageHelp}</p>
      <Code text={snippetOf({ script, slug, formId: id, key })} label={words.tag} />
      {creating.error && <Problem error={creating.error} />}
      <p role="status" className={styles.quiet}>
        {key === null ? words.keyHelp : words.keyMade}
      </p>
      <div>
        <Button variant="default" loading={creating.isPending} disabled={key !== null} onClick={() => creating.mutate()}>
          {words.makeKey}
        </Button>
      </div>
    </Section>
  )
}

type Change = FormChanges['items'][number]

const changeColumns = ({ forms: words, ui }: Words): readonly Column<Change>[] => [
  { key: 'what', header: words.done, cell: ({ what }) => words.acts[what] },
  {
    key: 'to',
    header: words.since,
    cell: ({ list, confirms }) =>
      list === null ? (
        ui.none
      ) : (
        <span className={styles.name}>
          <bdi>{list.name ?? list.id}</bdi>
          {confirms && `, ${words.asksShort}`}
        </span>
      ),
  },
  { key: 'by', header: words.by, cell: ({ by }) => <bdi dir="ltr">{by}</bdi> },
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
]

function Changes({ id }: Readonly<{ id: string }>) {
  const all = useWords()
  const { forms: words } = all
  const { data, error, refetch } = useFormChanges(id)
  return (
    <Section title={words.history}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <DataTable
          label={words.history}
          columns={changeColumns(all)}
          rows={data.items.map((item, index) => ({ ...item, index }))}
          rowKey={({ index }) => String(index)}
        />
      )}
      {data?.hasMore && <p className={styles.quiet}>{words.earlier}</p>}
    </Section>
  )
}
