import { useParams } from 'react-router'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { Content } from './content.tsx'
import { useMessage } from './message.api.ts'
import { Story } from './story.tsx'

/** What became of a message, why, and what it said. */
export function Component() {
  const { messages: words, ui } = useWords()
  const { id = '' } = useParams()
  const slug = useSlug()
  const { data, error, refetch } = useMessage(id)
  return (
    <Page title={words.message} back={{ to: paths.messages(slug), text: words.back }} {...(data && { aside: <CopyId id={data.id} /> })}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
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
          <Story id={id} status={data.status} />
          <Content id={id} isMail={data.channel === 'email'} />
        </>
      )}
    </Page>
  )
}
