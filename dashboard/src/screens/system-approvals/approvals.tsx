import { useQuery } from '@tanstack/react-query'
import type { Approvals } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SenderDecisions } from '../../ui/sender-decisions.tsx'
import { useWords } from '../../words/words.tsx'

/** What waits for an operator, or for a proof that one may stand in for. */
export function Component() {
  const { nav, approvals: words } = useWords()
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.system, 'approvals'],
    queryFn: ({ signal }) => client.read<Approvals>('/dashboard/system/approvals', signal),
    refetchInterval: ({ state }) => nextPoll(OVERVIEW_MS, state),
  })
  return (
    <Page title={nav.approvals}>
      <p>{words.help}</p>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={words.empty} />}
      {data && <SenderDecisions label={nav.approvals} senders={data.items} showsWorkspace />}
      {data?.has_more && <p>{words.more}</p>}
    </Page>
  )
}
