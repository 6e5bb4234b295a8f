import { Button } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'react-router'
import { queryOf, type ShownFlow } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { outlineOf } from '../../ui/flow-outline.ts'
import { FlowTrigger } from '../../ui/flow-trigger.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useFlow, useRuns } from './flow.api.ts'
import { Moves } from './moves.tsx'
import { PersonRuns } from './person-runs.tsx'
import { Steps } from './steps.tsx'

/** A flow: who is where in it, how it ended for others, and how one person went. */
export function Component() {
  const { flows: words } = useWords()
  const { id = '' } = useParams()
  const slug = useSlug()
  const { data, error, refetch } = useFlow(id)
  return (
    <Page
      title={data?.name ?? words.one}
      back={{ to: paths.flows(slug), text: words.title }}
      {...(data && { aside: <Aside flow={data} />, actions: <Actions flow={data} /> })}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <Flow flow={data} />}
    </Page>
  )
}

function Actions({ flow }: Readonly<{ flow: ShownFlow }>) {
  const { flowForm: words } = useWords()
  const slug = useSlug()
  return (
    <>
      <Moves flow={flow} />
      <Button component={Link} variant="default" to={paths.editFlow(slug, flow.id)}>
        {words.edit}
      </Button>
    </>
  )
}

function Aside({ flow: { id, status } }: Readonly<{ flow: ShownFlow }>) {
  return (
    <>
      <Status word={status} />
      <CopyId id={id} />
    </>
  )
}

function Flow({ flow }: Readonly<{ flow: ShownFlow }>) {
  const { flow: words, overview, locale } = useWords()
  const [search, setSearch] = useSearchParams()
  const person = search.get('person') ?? ''
  const { data: runs } = useRuns(flow.id, person)
  const choose = (one: string | null): void => setSearch(one === null ? {} : { person: one }, { replace: true })
  // Steps are numbered in each version anew: the way through another one is not drawn into this.
  const run = runs?.items.find(({ version }) => version === flow.version)
  const way = new Set(run?.steps.flatMap(({ step }) => (step === null ? [] : [step])))
  return (
    <>
      <FactsOf flow={flow} />
      {flow.counts !== 'current' && (
        <p role="status">
          ▲ {overview.incomplete}. {overview.states[flow.counts]}
        </p>
      )}
      <Section title={words.steps}>
        <Steps steps={outlineOf(flow.steps)} way={way} />
        {flow.olderVersions.map(({ version, inside }) => (
          <p key={version}>{words.older(version, inside.toLocaleString(locale))}</p>
        ))}
      </Section>
      <Ends flow={flow} />
      <Section title={words.way}>
        <PersonRuns id={flow.id} person={person} onChoose={choose} />
      </Section>
    </>
  )
}

function FactsOf({ flow }: Readonly<{ flow: ShownFlow }>) {
  const { flow: words, flows, locale } = useWords()
  const slug = useSlug()
  const { trigger, version, inside, finished, changedAt, changedBy } = flow
  return (
    <Facts
      items={[
        [flows.trigger, <FlowTrigger key="trigger" trigger={trigger} />],
        [flows.version, version.toLocaleString(locale)],
        [flows.insideNow, inside.toLocaleString(locale)],
        [flows.finished, finished.toLocaleString(locale)],
        [
          words.changed,
          <span key="changed">
            <Time at={changedAt} /> <bdi>{changedBy}</bdi>
          </span>,
        ],
        [
          words.messages,
          <Link key="messages" to={`${paths.messages(slug)}${queryOf({ flow: flow.id })}`}>
            {words.seeMessages}
          </Link>,
        ],
      ]}
    />
  )
}

type End = ShownFlow['ends'][number]

const columnsIn = ({ flow: words, messages, locale }: Words): readonly Column<End>[] => [
  { key: 'reason', header: messages.reason, cell: ({ reason }) => <bdi lang="en">{reason}</bdi> },
  { key: 'runs', header: words.runs, cell: ({ runs }) => runs.toLocaleString(locale), numeric: true },
]

function Ends({ flow: { ends } }: Readonly<{ flow: ShownFlow }>) {
  const words = useWords()
  return (
    <Section title={words.flow.ends}>
      {ends.length === 0 ? (
        <p>{words.flow.noEnds}</p>
      ) : (
        <DataTable label={words.flow.ends} columns={columnsIn(words)} rows={ends} rowKey={({ reason }) => reason} />
      )}
    </Section>
  )
}
