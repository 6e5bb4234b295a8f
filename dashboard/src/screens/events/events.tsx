import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CataloguedEvent } from '../../api/calls.ts'
import { isAdmin, sessionQuery } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { TypedFilter } from '../../ui/typed-filter.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { Declare, EditEvent } from './event-forms.tsx'
import { useCatalogue } from './events.api.ts'
import styles from './events.module.css'
import { Links, Listeners } from './listeners.tsx'
import { TestEvent } from './test-event.tsx'

type Open = Readonly<{ form: 'declare'; event: CataloguedEvent | null } | { form: 'change' | 'test'; event: CataloguedEvent }>

const SHOWN_PROPERTIES = 20

const propertiesOf = ({ properties }: CataloguedEvent, { ui, events: words }: Words) => {
  if (properties.length === 0) return ui.none
  const shown = properties.slice(0, SHOWN_PROPERTIES)
  return (
    <span className={styles.names}>
      {shown.map(({ name, kind }) => (
        <span key={name}>
          <bdi>{name}</bdi>
          {kind !== null && ` (${words.propertyKinds[kind]})`}{' '}
        </span>
      ))}
      {properties.length > shown.length && words.andMore(properties.length - shown.length)}
    </span>
  )
}

const eventColumns = (words: Words): readonly Column<CataloguedEvent>[] => [
  {
    key: 'event',
    header: words.events.event,
    cell: ({ name, label }) => (
      <>
        <bdi>{label}</bdi>
        {label !== name && (
          <div className={styles.technical}>
            <bdi>{name}</bdi>
          </div>
        )}
      </>
    ),
  },
  { key: 'properties', header: words.events.properties, cell: (event) => propertiesOf(event, words) },
  { key: 'listeners', header: words.events.listeners, cell: (event) => <Listeners event={event} /> },
]

const ownColumns = (all: Words, onOpen: ((open: Open) => void) | null): readonly Column<CataloguedEvent>[] => {
  const { events: words } = all
  const kind: Column<CataloguedEvent> = {
    key: 'kind',
    header: words.kind,
    cell: (event) => (event.retired ? words.retired : words.kinds[event.kind]),
  }
  const acts = (open: (open: Open) => void): Column<CataloguedEvent> => ({
    key: 'acts',
    header: words.acts,
    cell: (event) => <Acts event={event} onOpen={open} />,
  })
  return [...eventColumns(all), kind, ...(onOpen === null ? [] : [acts(onOpen)])]
}

function Acts({ event, onOpen }: Readonly<{ event: CataloguedEvent; onOpen: (open: Open) => void }>) {
  const { ui, events: words } = useWords()
  const isDeclared = event.kind === 'declared'
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => onOpen(isDeclared ? { form: 'change', event } : { form: 'declare', event })}
        aria-label={isDeclared ? words.changeOf(event.name) : words.declareOf(event.name)}
      >
        {isDeclared ? ui.change : words.declareVerb}
      </Button>
      <Button variant="default" size="compact-xs" onClick={() => onOpen({ form: 'test', event })} aria-label={words.testOf(event.name)}>
        {words.test}
      </Button>
    </Group>
  )
}

function Forms({ open, onClose }: Readonly<{ open: Open | null; onClose: () => void }>) {
  const { events: words } = useWords()
  return (
    <>
      <FormDialog opened={open?.form === 'declare'} onClose={onClose} title={words.declare}>
        {open?.form === 'declare' && <Declare observed={open.event} onClose={onClose} />}
      </FormDialog>
      <FormDialog opened={open?.form === 'change'} onClose={onClose} title={words.changeTitle}>
        {open?.form === 'change' && <EditEvent id={open.event.id ?? ''} onClose={onClose} />}
      </FormDialog>
      <FormDialog opened={open?.form === 'test'} onClose={onClose} title={words.testTitle}>
        {open?.form === 'test' && <TestEvent name={open.event.name} onClose={onClose} />}
      </FormDialog>
    </>
  )
}

/** What can happen in the workspace by name, and who listens to it. */
export function Component() {
  const all = useWords()
  const { events: words } = all
  const { data: session } = useQuery(sessionQuery)
  const [open, setOpen] = useState<Open | null>(null)
  const [wanted, setWanted] = useState('')
  const { data, error, refetch } = useCatalogue()
  const found = (data?.items ?? []).filter(({ name, label }) => `${name} ${label}`.toLowerCase().includes(wanted.trim().toLowerCase()))
  const own = found.filter(({ kind }) => kind !== 'built_in')
  const builtIn = found.filter(({ kind }) => kind === 'built_in')
  const mayChange = isAdmin(session)
  const declare = mayChange && <Button onClick={() => setOpen({ form: 'declare', event: null })}>{words.declare}</Button>
  return (
    <Page title={words.title} actions={declare}>
      <p>{words.help}</p>
      <Forms open={open} onClose={() => setOpen(null)} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <search>
            <TypedFilter label={words.filter} value={wanted} onChange={setWanted} />
          </search>
          <Links title={words.everyEvent} of={data.everyEvent} to={paths.webhook} />
          <Section title={words.own}>
            {own.length === 0 && <Empty text={wanted === '' ? words.empty : words.noMatch} />}
            {own.length > 0 && (
              <DataTable
                label={words.own}
                columns={ownColumns(all, mayChange ? setOpen : null)}
                rows={own}
                rowKey={({ kind, name }) => `${kind} ${name}`}
              />
            )}
          </Section>
          <Section title={words.builtIn}>
            {builtIn.length === 0 && <Empty text={words.noMatch} />}
            {builtIn.length > 0 && (
              <DataTable label={words.builtIn} columns={eventColumns(all)} rows={builtIn} rowKey={({ name }) => name} />
            )}
          </Section>
        </>
      )}
    </Page>
  )
}
