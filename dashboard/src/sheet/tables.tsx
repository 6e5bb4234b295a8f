import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Page as RowsOfPage } from '../api/calls.ts'
import Chart from '../ui/chart.tsx'
import { CursorRows } from '../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Empty } from '../ui/empty.tsx'
import { PagedTable } from '../ui/paged-table.tsx'
import { SenderDecisions } from '../ui/sender-decisions.tsx'
import { Status } from '../ui/status.tsx'

type Person = Readonly<{ id: string; name: string; status: string; mails: number }>

const PEOPLE: readonly Person[] = [
  { id: 'noa', name: 'נועה לוי', status: 'subscribed', mails: 14 },
  { id: 'ada', name: 'Ada Lovelace', status: 'unsubscribed', mails: 1_204 },
  { id: 'joan', name: 'Joan Clarke', status: 'cleaned', mails: 0 },
]

const COLUMNS: readonly Column<Person>[] = [
  { key: 'name', header: 'Name', sort: 'name', cell: ({ name }) => <bdi>{name}</bdi> },
  { key: 'status', header: 'Status', cell: ({ status }) => <Status word={status} /> },
  { key: 'mails', header: 'Mails', numeric: true, cell: ({ mails }) => mails },
]
const TABLE = { label: 'People', columns: COLUMNS, rowKey: ({ id }: Person) => id }

function Chosen() {
  const [chosen, setChosen] = useState<readonly string[]>(['noa'])
  const ids = (rows: readonly Person[]) => rows.map(({ id }) => id)
  const choosing = {
    isChosen: ({ id }: Person) => chosen.includes(id),
    onChoose: (rows: readonly Person[], isChosen: boolean) =>
      setChosen([...chosen.filter((id) => !ids(rows).includes(id)), ...(isChosen ? ids(rows) : [])]),
    label: ({ name }: Person) => name,
    labelOfAll: 'All',
  }
  return <DataTable {...TABLE} rows={PEOPLE} rowLink={({ id }) => id} sort="name" onSort={() => undefined} choosing={choosing} />
}

const pageOf = (items: readonly Person[]): RowsOfPage<Person> => ({
  items: [...items],
  ...{ total: items.length * 10, offset: 0, limit: 3, has_more: items.length > 0, next_cursor: null },
})

function Paged() {
  const result = useQuery({ queryKey: ['people'], queryFn: () => pageOf(PEOPLE) })
  return <PagedTable result={result} table={TABLE} empty={<Empty text="No person yet." />} onMove={() => undefined} />
}

function Rows() {
  const pages = useInfiniteQuery({
    queryKey: ['rows'],
    queryFn: () => ({ ...pageOf(PEOPLE), next_cursor: 'more' }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  })
  return (
    <CursorRows pages={pages} empty={<Empty text="No person yet." />}>
      {(rows) => <p>{rows.length}</p>}
    </CursorRows>
  )
}

const STEPS = ['4 Mar', '5 Mar', '6 Mar', '7 Mar', '8 Mar', '9 Mar', '10 Mar']
const series = (key: string, factor: number) => ({ key, name: key, values: STEPS.map((_, index) => ((index * factor) % 7) + 1) })
const SERIES = [series('delivered', 3), series('bounced', 2), series('failed', 5), series('notSent', 4)]

export const TABLES = {
  'data-table': Chosen,
  'paged-table': Paged,
  'cursor-rows': Rows,
  chart: () => (
    <>
      <Chart title="Bars" kind="bars" stepName="Day" steps={STEPS} series={SERIES} />
      <Chart title="Lines" kind="lines" stepName="Day" steps={STEPS} series={SERIES} />
    </>
  ),
  'sender-decisions': () => (
    <SenderDecisions
      label="Senders"
      showsWorkspace={false}
      senders={[
        {
          ...{ workspace: 'shop', workspaceName: 'Shop', kind: 'sms', id: 'TEA', name: 'TEA', status: 'pending', note: null },
          ...{ decisions: ['approve', 'refuse'], etag: '' },
        },
      ]}
    />
  ),
} as const
