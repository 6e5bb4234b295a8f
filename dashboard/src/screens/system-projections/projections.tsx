import { Button, Group, Progress } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ProjectionJob, SystemProjection, SystemProjections } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'

type Act = ProjectionJob['act']
type AskedWork = Readonly<{ projection: string; act: Act }>

const PATH = '/dashboard/system/projections'

const isOpen = ({ jobs }: SystemProjection): boolean => jobs.some(({ state }) => state === 'waiting' || state === 'running')

function useProjections() {
  return useQuery({
    queryKey: [...keys.system, 'projections'],
    queryFn: ({ signal }) => client.read<SystemProjections>(PATH, signal),
    refetchInterval: ({ state }) => nextPoll(state.data?.items.some(isOpen) ? MOVING_MS : OVERVIEW_MS, state),
  })
}

function useAsk(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (asked: AskedWork) => client.write<ProjectionJob>(`${PATH}/jobs`, { body: asked }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.system }),
  })
}

/** What can be asked for now: what is beside can be compared and swapped in, what a swap took out can be brought back. */
const actsOf = (projection: SystemProjection): readonly Act[] => {
  if (isOpen(projection)) return []
  const { next, previous } = projection
  return ['rebuild_beside', ...(next ? (['compare', 'swap'] as const) : []), ...(previous ? (['swap_back'] as const) : []), 'rebuild']
}

function Beside({ projection: { next, previous } }: Readonly<{ projection: SystemProjection }>) {
  const { projections: words, ui } = useWords()
  if (next === null && previous === null) return <>{ui.none}</>
  return (
    <>
      {next && (
        <div>
          {words.built(next.version)} <Time at={next.builtAt} inTable />
        </div>
      )}
      {previous && (
        <div>
          {words.kept(previous.version)} <Time at={previous.until} inTable />
        </div>
      )}
    </>
  )
}

function Job({ job }: Readonly<{ job: ProjectionJob }>) {
  const { projections: words, locale } = useWords()
  const number = (value: number) => value.toLocaleString(locale)
  const { act, state, done, total, tables, error } = job
  return (
    <div>
      <div>
        {words.acts[act]}: <Status word={state} />
      </div>
      {state === 'waiting' && <div>{words.waiting}</div>}
      {/* A comparison has no position of the log. */}
      {state === 'running' && total > 0 && (
        <>
          <Progress value={(100 * done) / total} aria-label={words.progressOf(job.projection)} />
          <div>{words.reached(number(done), number(total))}</div>
        </>
      )}
      {state === 'interrupted' && <div>{words.interrupted}</div>}
      {state === 'failed' && <div>{error === null ? words.failed : <bdi lang="en">{error}</bdi>}</div>}
      {tables.map(({ table, equal, different, onlyLive, onlyNext }) => (
        <div key={table}>
          <bdi lang="en">{table}</bdi>: {words.inBoth(number(equal), number(different))}, {words.inOne(number(onlyLive), number(onlyNext))}
        </div>
      ))}
    </div>
  )
}

const columnsIn = (all: Words, onAsk: (asked: AskedWork) => void): readonly Column<SystemProjection>[] => {
  const { projections: words, system, ui, locale } = all
  return [
    { key: 'name', header: system.name, cell: ({ name }) => <bdi lang="en">{name}</bdi> },
    { key: 'version', header: system.version, cell: ({ version }) => version, numeric: true },
    { key: 'state', header: system.state, cell: ({ state }) => <Status word={state} /> },
    { key: 'behind', header: system.behind, cell: ({ behind }) => behind?.toLocaleString(locale) ?? system.unknown, numeric: true },
    { key: 'failure', header: system.failure, cell: ({ failure }) => <bdi lang="en">{failure ?? ui.none}</bdi> },
    { key: 'beside', header: words.beside, cell: (projection) => <Beside projection={projection} /> },
    { key: 'job', header: words.job, cell: ({ jobs: [job] }) => (job === undefined ? ui.none : <Job job={job} />) },
    {
      key: 'acts',
      header: words.ask,
      cell: (projection) => (
        <Group gap="xs">
          {actsOf(projection).map((act) => (
            <Button
              key={act}
              variant="default"
              size="compact-xs"
              onClick={() => onAsk({ projection: projection.name, act })}
              aria-label={`${words.acts[act]}: ${projection.name}`}
            >
              {words.acts[act]}
            </Button>
          ))}
        </Group>
      ),
    },
  ]
}

/** Every projection, what is done with it, and what can be. */
export function Component() {
  const all = useWords()
  const { projections: words } = all
  const [asked, setAsked] = useState<AskedWork | null>(null)
  const { data, error, refetch } = useProjections()
  const asking = useAsk(() => setAsked(null))
  const onAsk = (wanted: AskedWork): void => {
    asking.reset()
    if (wanted.act === 'rebuild_beside' || wanted.act === 'compare') asking.mutate(wanted)
    else setAsked(wanted)
  }
  return (
    <Page title={words.title}>
      <p>{words.help}</p>
      {asking.error && asked === null && <Problem error={asking.error} />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <DataTable label={words.title} columns={columnsIn(all, onAsk)} rows={data.items} rowKey={({ name }) => name} />}
      {asked && (
        <Confirm
          opened
          title={`${words.acts[asked.act]}: ${asked.projection}`}
          verb={words.acts[asked.act]}
          {...(asked.act !== 'rebuild' && { word: asked.projection })}
          pending={asking.isPending}
          error={asking.error}
          onConfirm={() => asking.mutate(asked)}
          onClose={() => setAsked(null)}
        >
          {words.actHelp[asked.act]}
        </Confirm>
      )}
    </Page>
  )
}
