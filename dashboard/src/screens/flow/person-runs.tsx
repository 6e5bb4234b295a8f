import { personName } from '@tidings/domain'
import { Link } from 'react-router'
import type { FlowRuns } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { ChoosePerson } from '../../ui/choose-person.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { usePerson, useRuns } from './flow.api.ts'
import styles from './flow.module.css'

type Props = Readonly<{ id: string; person: string; onChoose: (person: string | null) => void }>

/** How one person went through the flow, run after run. */
export function PersonRuns({ id, person, onChoose }: Props) {
  const { flow: words, profile } = useWords()
  const slug = useSlug()
  const { data: whose } = usePerson(person)
  const { data, error, refetch } = useRuns(id, person)
  return (
    <>
      <ChoosePerson label={words.person} none={words.noOne} value={person === '' ? null : person} onChange={onChoose} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {person !== '' && data === undefined && !error && <Loading />}
      {whose && data && (
        <p>
          <Link to={paths.profile(slug, whose.id)}>
            <bdi>{personName(whose) ?? profile.unnamed}</bdi>
          </Link>
        </p>
      )}
      {data?.items.length === 0 && <p>{words.neverInside}</p>}
      {data?.items.map((run) => (
        <Run key={run.runId} run={run} />
      ))}
      {data?.earlier && <p>{words.earlierRuns}</p>}
    </>
  )
}

type OneRun = FlowRuns['items'][number]

function Run({ run: { version, steps } }: Readonly<{ run: OneRun }>) {
  const { flow: words, messages } = useWords()
  const slug = useSlug()
  return (
    <div>
      <h3 className={styles.run}>{words.runOf(version)}</h3>
      <ol className={styles.facts}>
        {steps.map(({ at, type, step, messageId, says }) => (
          <li key={`${at} ${type} ${step}`}>
            <Time at={at} /> {step !== null && words.stepNumber(step + 1)} <bdi lang="en">{says}</bdi>{' '}
            {messageId !== null && <Link to={paths.message(slug, messageId)}>{messages.message}</Link>}
          </li>
        ))}
      </ol>
    </div>
  )
}
