import { useParams } from 'react-router'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { Content } from './content.tsx'
import { useMessage } from './message.api.ts'
import styles from './message.module.css'
import { MessageFacts, MessageOutcome } from './message-facts.tsx'
import { Story } from './story.tsx'

/** What became of a message, why, and what it said. */
export function Component() {
  const { messages: words } = useWords()
  const { id = '' } = useParams()
  const slug = useSlug()
  const { data, error, refetch } = useMessage(id)
  return (
    <Page title={words.message} back={{ to: paths.messages(slug), text: words.back }} {...(data && { aside: <CopyId id={data.id} /> })}>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <MessageOutcome message={data} />
          <div className={styles.beside}>
            <Story id={id} status={data.status} />
            {data.kind === 'passcode' ? <p>{words.contentGone}</p> : <Content id={id} isMail={data.channel === 'email'} />}
          </div>
          <MessageFacts message={data} />
        </>
      )}
    </Page>
  )
}
