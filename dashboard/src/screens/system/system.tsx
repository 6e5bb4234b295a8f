import { Alert } from '@mantine/core'
import { queryOf, type SystemState } from '../../api/calls.ts'
import { paths } from '../../paths.ts'
import { DataTable, type TableProps } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { Findings } from './findings.tsx'
import { useSystem } from './system.api.ts'

type PartRows<Part extends keyof SystemState> = Readonly<{ rows: SystemState[Part] }>

/** What runs in the installation, what is behind, and what waits. */
export function Component() {
  const { system: words } = useWords()
  const { data, error, refetch } = useSystem()
  return (
    <Page title={words.title}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <Readiness state={data} />
          <Findings />
          <Processes rows={data.processes} />
          <Queues rows={data.queues} />
          <DeadLetters rows={data.deadLetters} />
          <Waiting state={data} />
          <Projections rows={data.projections} />
          <Consumers rows={data.consumers} />
        </>
      )}
    </Page>
  )
}

function Readiness({ state: { missing, head } }: Readonly<{ state: SystemState }>) {
  const { system: words } = useWords()
  return (
    <>
      {missing.length === 0 ? (
        <p>
          <span aria-hidden="true">●</span> {words.ready}
        </p>
      ) : (
        <Alert variant="default" title={`✕ ${words.notReady}`}>
          <ul lang="en">
            {missing.map(({ name, reason }) => (
              <li key={name}>
                <bdi>
                  {name}: {reason}
                </bdi>
              </li>
            ))}
          </ul>
        </Alert>
      )}
      <Facts items={[[words.head, <bdi key="head">{head}</bdi>]]} />
    </>
  )
}

type RowsProps<Row> = Omit<TableProps<Row>, 'label'> & Readonly<{ title: string; empty: string }>

function Rows<Row>({ title, empty, ...table }: RowsProps<Row>) {
  return <Section title={title}>{table.rows.length === 0 ? <p>{empty}</p> : <DataTable label={title} {...table} />}</Section>
}

function Processes({ rows }: PartRows<'processes'>) {
  const { system: words } = useWords()
  return (
    <Rows
      title={words.processes}
      empty={words.noProcess}
      columns={[
        { key: 'roles', header: words.roles, cell: ({ roles }) => <bdi lang="en">{roles.join(', ')}</bdi> },
        { key: 'started', header: words.started, cell: ({ startedAt }) => <Time at={startedAt} inTable /> },
        { key: 'heard', header: words.heard, cell: ({ heardAt }) => <Time at={heardAt} inTable /> },
      ]}
      rows={rows}
      rowKey={({ id }) => id}
    />
  )
}

function Queues({ rows }: PartRows<'queues'>) {
  const { system: words, locale } = useWords()
  return (
    <Rows
      title={words.queues}
      empty={words.nothingWaits}
      columns={[
        { key: 'kind', header: words.kind, cell: ({ kind }) => <bdi lang="en">{kind}</bdi> },
        { key: 'waiting', header: words.waiting, cell: ({ waiting }) => waiting.toLocaleString(locale), numeric: true },
        { key: 'retrying', header: words.retrying, cell: ({ retrying }) => retrying.toLocaleString(locale), numeric: true },
        { key: 'oldest', header: words.oldest, cell: ({ oldestSeconds }) => words.age(oldestSeconds) },
      ]}
      rows={rows}
      rowKey={({ kind }) => kind}
    />
  )
}

function DeadLetters({ rows }: PartRows<'deadLetters'>) {
  const { system: words, deadLetters, locale } = useWords()
  return (
    <Rows
      title={deadLetters.title}
      empty={words.noDeadLetter}
      columns={[
        { key: 'consumer', header: words.name, cell: ({ consumer }) => <bdi lang="en">{consumer}</bdi> },
        { key: 'open', header: words.open, cell: ({ open }) => open.toLocaleString(locale), numeric: true },
      ]}
      rows={rows}
      rowKey={({ consumer }) => consumer}
      rowLink={({ consumer }) => paths.systemDeadLetters() + queryOf({ consumer })}
    />
  )
}

function Waiting({ state: { webhooks, proof } }: Readonly<{ state: SystemState }>) {
  const { system: words, locale } = useWords()
  const number = (count: number) => count.toLocaleString(locale)
  return (
    <>
      <Section title={words.webhooks}>
        <Facts
          items={[
            [words.deliveries, number(webhooks.deliveries)],
            [words.endpoints, number(webhooks.endpoints)],
            [words.longest, number(webhooks.longest)],
          ]}
        />
      </Section>
      <Section title={words.proof}>
        <Facts
          items={[
            [words.proven, number(proof.events)],
            [words.signed, <Time key="signed" at={proof.head} />],
            [words.anchored, <Time key="anchored" at={proof.anchored} />],
            [
              words.fingerprint,
              <bdi key="fingerprint" dir="ltr">
                {proof.fingerprint}
              </bdi>,
            ],
          ]}
        />
      </Section>
    </>
  )
}

function useBehind(): (behind: number | null) => string {
  const { system: words, locale } = useWords()
  return (behind) => (behind === null ? words.unknown : behind.toLocaleString(locale))
}

function Projections({ rows }: PartRows<'projections'>) {
  const { system: words, locale, ui } = useWords()
  const behindText = useBehind()
  return (
    <Rows
      title={words.projections}
      empty={words.noProjection}
      columns={[
        { key: 'name', header: words.name, cell: ({ name }) => <bdi lang="en">{name}</bdi> },
        { key: 'version', header: words.version, cell: ({ version }) => version, numeric: true },
        { key: 'state', header: words.state, cell: ({ state }) => <Status word={state} /> },
        { key: 'behind', header: words.behind, cell: ({ behind }) => behindText(behind), numeric: true },
        { key: 'parked', header: words.parked, cell: ({ parkedStreams }) => parkedStreams.toLocaleString(locale), numeric: true },
        { key: 'failure', header: words.failure, cell: ({ failure }) => <bdi lang="en">{failure ?? ui.none}</bdi> },
      ]}
      rows={rows}
      rowKey={({ name }) => name}
    />
  )
}

function Consumers({ rows }: PartRows<'consumers'>) {
  const { system: words } = useWords()
  const behindText = useBehind()
  return (
    <Rows
      title={words.consumers}
      empty={words.noConsumer}
      columns={[
        { key: 'name', header: words.name, cell: ({ name }) => <bdi lang="en">{name}</bdi> },
        { key: 'behind', header: words.behind, cell: ({ behind }) => behindText(behind), numeric: true },
      ]}
      rows={rows}
      rowKey={({ name }) => name}
    />
  )
}
