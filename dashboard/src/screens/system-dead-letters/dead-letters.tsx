import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { INSTALLATION } from '@tidings/domain'
import { Link, useSearchParams } from 'react-router'
import { type DeadLetterGroups, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { paths } from '../../paths.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { DeadLetters } from '../../ui/dead-letters.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'

type ShownWorkspace = Readonly<{ workspaceId?: string | null; workspace?: string | null }>

/** By its slug; where none is known, by its id. */
function Workspace({ workspaceId = null, workspace = null }: ShownWorkspace) {
  const { deadLetters: words } = useWords()
  if (workspaceId === null) return <>{words.noWorkspace}</>
  if (workspace === null) return <bdi dir="ltr">{workspaceId}</bdi>
  return (
    <Link to={paths.systemWorkspace(workspace)}>
      <bdi dir="ltr">{workspace}</bdi>
    </Link>
  )
}

/** The dead letters of the installation: by what was to handle them and by workspace, and one by one. */
export function Component() {
  const { deadLetters: words } = useWords()
  const [search, setSearch] = useSearchParams()
  const consumer = search.get('consumer') ?? ''
  const workspaceId = search.get('workspaceId') ?? ''
  return (
    <Page title={words.title}>
      <p>{words.help}</p>
      <Groups />
      <Section title={words.each}>
        {(consumer !== '' || workspaceId !== '') && (
          <div>
            <Button variant="default" size="compact-sm" onClick={() => setSearch({}, { replace: true })}>
              {words.showAll}
            </Button>
          </div>
        )}
        <DeadLetters
          path="/dashboard/system/dead-letters"
          asked={{ consumer, workspaceId }}
          asksFirst
          what={() => null}
          others={[{ key: 'workspace', header: words.workspace, cell: Workspace }]}
        />
      </Section>
    </Page>
  )
}

function Groups() {
  const { deadLetters: words, locale } = useWords()
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.deadLetters, 'groups'],
    queryFn: ({ signal }) => client.read<DeadLetterGroups>('/dashboard/system/dead-letters/groups', signal),
    refetchInterval: ({ state }) => nextPoll(OVERVIEW_MS, state),
  })
  if (data === undefined) return error && <Problem error={error} onRetry={() => void refetch()} />
  if (data.items.length === 0) return null
  return (
    <Section title={words.groups}>
      <DataTable
        label={words.groups}
        columns={[
          { key: 'consumer', header: words.consumer, cell: ({ consumer }) => <bdi dir="ltr">{consumer}</bdi> },
          { key: 'workspace', header: words.workspace, cell: Workspace },
          { key: 'letters', header: words.title, cell: ({ letters }) => letters.toLocaleString(locale), numeric: true },
          { key: 'oldest', header: words.oldest, cell: ({ oldest }) => <Time at={oldest} inTable /> },
        ]}
        rows={data.items}
        rowKey={({ consumer, workspaceId }) => `${consumer} ${workspaceId}`}
        rowLink={({ consumer, workspaceId }) => paths.systemDeadLetters() + queryOf({ consumer, workspaceId: workspaceId ?? INSTALLATION })}
      />
      {data.has_more && <p>{words.moreGroups}</p>}
    </Section>
  )
}
