import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import type { MessageStory } from '../../api/calls.ts'
import { isAdmin, sessionQuery, useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useStory } from './message.api.ts'
import styles from './message.module.css'
import { WhyNotSent } from './why-not-sent.tsx'

type Fact = MessageStory['facts'][number]

/** Why the message was sent, or not: every fact of the log, oldest first, as sentences or as a table. */
export function Story({ id, status }: Readonly<{ id: string; status: string }>) {
  const words = useWords()
  const titleId = useId()
  const slug = useSlug()
  const { data: session } = useQuery(sessionQuery)
  const { messages, ui } = words
  const [isTable, setTable] = useState(false)
  const { data, error, refetch } = useStory(id, status)
  const deadLetter = data?.message.waiting?.deadLetter ?? null
  return (
    <div>
      {data && <WhyNotSent story={data} />}
      <section aria-labelledby={titleId}>
        <h2 id={titleId} className={styles.title}>
          {messages.story}
        </h2>
        <Button variant="default" size="compact-sm" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? messages.asStory : messages.asTable}
        </Button>
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {data === undefined && !error && <Loading />}
        {deadLetter !== null && (
          <p>
            {isAdmin(session) ? <Link to={paths.deadLetters(slug)}>{messages.deadLetter}</Link> : messages.deadLetter}:{' '}
            <bdi dir="ltr">{deadLetter}</bdi> · <bdi lang="en">{data?.message.waiting?.reason ?? ui.none}</bdi>
          </p>
        )}
        {data && isTable && <DataTable label={messages.story} columns={columnsIn(words)} rows={data.facts} rowKey={keyOf} />}
        {data && !isTable && (
          <ol className={styles.facts}>
            {data.facts.map((fact) => (
              <li key={keyOf(fact)}>
                <Time at={fact.at} />
                <bdi lang="en">{fact.says}</bdi>
              </li>
            ))}
          </ol>
        )}
      </section>
    </div>
  )
}

const keyOf = ({ position, type, says }: Fact): string => `${position} ${type} ${says}`

const columnsIn = ({ messages: words, consent }: Words): readonly Column<Fact>[] => [
  { key: 'at', header: consent.time, cell: ({ at }) => <Time at={at} inTable /> },
  { key: 'type', header: words.event, cell: ({ type }) => <bdi dir="ltr">{type}</bdi> },
  { key: 'position', header: words.position, cell: ({ position }) => <bdi dir="ltr">{position}</bdi> },
  { key: 'says', header: words.says, cell: ({ says }) => <bdi lang="en">{says}</bdi> },
]
