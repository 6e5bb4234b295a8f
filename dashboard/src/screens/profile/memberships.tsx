import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { FlowsOfPerson, ListsOfPerson } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { useFlowsOfPerson, useListsOfPerson } from './person.api.ts'

type OneList = ListsOfPerson['items'][number]
type OneFlow = FlowsOfPerson['items'][number]

/** The lists that the person is on. */
export function Lists({ id }: Readonly<{ id: string }>) {
  const { lists, profile: words } = useWords()
  const slug = useSlug()
  const columns: readonly Column<OneList>[] = [
    {
      key: 'name',
      header: lists.name,
      cell: (list) => (
        <Link to={paths.list(slug, list.id)}>
          <bdi>{list.name}</bdi>
        </Link>
      ),
    },
    { key: 'type', header: lists.type, cell: ({ type }) => (type === 'static' ? words.oneByOne : words.byRule) },
    { key: 'since', header: words.onListSince, cell: ({ addedAt }) => <Time at={addedAt} inTable /> },
  ]
  return (
    <Items result={useListsOfPerson(id)} empty={words.noLists}>
      {(rows) => <DataTable label={words.tabs.lists} columns={columns} rows={rows} rowKey={(list) => list.id} />}
    </Items>
  )
}

/** The last run of the person through each flow. */
export function Flows({ id }: Readonly<{ id: string }>) {
  const { lists, profile: words, messages, ui } = useWords()
  const slug = useSlug()
  const columns: readonly Column<OneFlow>[] = [
    { key: 'name', header: lists.name, cell: ({ name }) => <bdi>{name}</bdi> },
    { key: 'state', header: words.flowState, cell: ({ state }) => <Status word={state} /> },
    { key: 'step', header: words.flowStep, cell: ({ step }) => step ?? ui.none, numeric: true },
    { key: 'reason', header: messages.reason, cell: ({ reason }) => <bdi lang="en">{reason ?? ui.none}</bdi> },
    { key: 'entered', header: words.flowEntered, cell: ({ enteredAt }) => <Time at={enteredAt} inTable /> },
    { key: 'moved', header: words.flowMoved, cell: ({ updatedAt }) => <Time at={updatedAt} inTable /> },
  ]
  return (
    <Items result={useFlowsOfPerson(id)} empty={words.noFlows}>
      {(rows) => (
        <DataTable
          label={words.tabs.flows}
          columns={columns}
          rows={rows}
          rowKey={(flow) => flow.id}
          rowLink={(flow) => paths.flow(slug, flow.id, id)}
        />
      )}
    </Items>
  )
}

type ItemsProps<Item> = Readonly<{
  result: UseQueryResult<Readonly<{ items: Item[] }>>
  empty: string
  children: (rows: readonly Item[]) => ReactNode
}>

function Items<Item>({ result: { data, error, refetch }, empty, children }: ItemsProps<Item>) {
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading />
  return data.items.length === 0 ? <Empty text={empty} /> : children(data.items)
}
