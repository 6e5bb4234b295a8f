import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import type { MessageRecord } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { CopyId } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { isMoving } from '../../ui/status-tone.ts'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'

/** What became of a message; a queued one is asked about until it has left. */
export function Component() {
  const { messages: words, ui } = useWords()
  const { id = '' } = useParams()
  const { data, error, refetch } = useQuery({
    queryKey: [...keys.messages, id],
    queryFn: ({ signal }) => client.read<MessageRecord>(`/dashboard/messages/${encodeURIComponent(id)}`, signal),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.status) ? nextPoll(MOVING_MS) : false),
  })
  return (
    <Page title={words.message} {...(data && { aside: <CopyId id={data.id} /> })}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <Facts
          items={[
            [words.status, <Status key="status" word={data.status} />],
            [
              words.reason,
              <bdi key="reason" lang="en">
                {data.failureReason ?? ui.none}
              </bdi>,
            ],
            [words.queued, <Time key="queued" at={data.queuedAt} />],
            [words.sent, <Time key="sent" at={data.sentAt} />],
            [words.delivered, <Time key="delivered" at={data.deliveredAt} />],
            [words.updated, <Time key="updated" at={data.updatedAt} />],
            [
              words.providerId,
              <bdi key="provider" dir="ltr">
                {data.providerMessageId ?? ui.none}
              </bdi>,
            ],
          ]}
        />
      )}
    </Page>
  )
}
