import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { useStory } from './message.api.ts'
import styles from './message.module.css'

/** Why the message was sent, or not: every fact of the log, oldest first. */
export function Story({ id, status }: Readonly<{ id: string; status: string }>) {
  const { messages: words } = useWords()
  const { data, error, refetch } = useStory(id, status)
  return (
    <section aria-labelledby="story">
      <h2 id="story" className={styles.title}>
        {words.story}
      </h2>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      <ol className={styles.facts}>
        {data?.facts.map(({ at, position, type, says }) => (
          <li key={`${position} ${type} ${says}`}>
            <Time at={at} />
            <bdi lang="en">{says}</bdi>
          </li>
        ))}
      </ol>
    </section>
  )
}
