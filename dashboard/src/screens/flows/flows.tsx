import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { FlowList, ListedFlow } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FlowTrigger } from '../../ui/flow-trigger.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'

const columnsIn = ({ flows: words, lists, messages, locale }: Words): readonly Column<ListedFlow>[] => [
  { key: 'name', header: lists.name, cell: ({ name }) => <bdi>{name}</bdi> },
  { key: 'trigger', header: words.trigger, cell: ({ trigger }) => <FlowTrigger trigger={trigger} /> },
  { key: 'status', header: messages.status, cell: ({ status }) => <Status word={status} /> },
  { key: 'version', header: words.version, cell: ({ version }) => version, numeric: true },
  { key: 'inside', header: words.insideNow, cell: ({ inside }) => inside.toLocaleString(locale), numeric: true },
  { key: 'finished', header: words.finished, cell: ({ finished }) => finished.toLocaleString(locale), numeric: true },
]

/** The flows of the workspace, and how many people are inside. */
export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.flows, 'list'],
    queryFn: ({ signal }) => client.read<FlowList>('/dashboard/flows', signal),
  })
  return (
    <Page
      title={words.flows.title}
      actions={
        <Button component={Link} to={paths.newFlow(slug)}>
          {words.flowForm.newTitle}
        </Button>
      }
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={words.flows.empty} />}
      {data && data.items.length > 0 && (
        <DataTable
          label={words.flows.title}
          columns={columnsIn(words)}
          rows={data.items}
          rowKey={({ id }) => id}
          rowLink={({ id }) => paths.flow(slug, id)}
        />
      )}
    </Page>
  )
}
