import { Progress } from '@mantine/core'
import { Link } from 'react-router'
import type { Overview } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Status } from '../../ui/status.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './overview.module.css'

type Need = Overview['attention'][number]

function causeOf({ kind, id }: Need, slug: string): string | null {
  switch (kind) {
    case 'webhook_failing':
    case 'webhook_paused':
      return id === null ? paths.webhooks(slug) : paths.webhook(slug, id)
    case 'sender_unverified':
      return paths.senders(slug)
    case 'provider_outage':
      return paths.messages(slug)
    case 'dead_letters':
      return paths.deadLetters(slug)
    case 'credits_low':
      return paths.credits(slug)
    default:
      return null
  }
}

/** What needs somebody, each with the way to its cause. */
export function Attention({ needs }: Readonly<{ needs: readonly Need[] }>) {
  const { overview: words } = useWords()
  const slug = useSlug()
  return (
    <section className={styles.part} aria-label={words.attention}>
      <h2>{words.attention}</h2>
      {needs.length === 0 && <p>{words.allWell}</p>}
      <ul className={styles.list}>
        {needs.map((need) => {
          const cause = causeOf(need, slug)
          const text = words.needs[need.kind](need.count, need.name ?? '', need.of ?? need.count)
          return (
            <li key={`${need.kind} ${need.id ?? need.name}`} className={styles.line}>
              <span aria-hidden="true">!</span>
              {cause === null ? <bdi>{text}</bdi> : <Link to={cause}>{text}</Link>}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Campaigns under way, and flows with people inside. */
export function Running({ campaigns, flows }: Pick<Overview, 'campaigns' | 'flows'>) {
  const { overview: words, locale } = useWords()
  const slug = useSlug()
  return (
    <section className={styles.part} aria-label={words.running}>
      <h2>{words.running}</h2>
      {campaigns.length + flows.length === 0 && <p>{words.nothingRuns}</p>}
      <ul className={styles.list}>
        {campaigns.map(({ id, name, status, recipients, begun }) => (
          <li key={id} className={styles.line}>
            <Link to={paths.campaign(slug, id)}>
              <bdi>{name}</bdi>
            </Link>
            <Status word={status} />
            <Progress
              className={styles.bar}
              value={recipients === 0 ? 0 : (100 * begun) / recipients}
              aria-label={words.progressOf(name)}
              size="md"
            />
            <span>{words.begunOf(begun.toLocaleString(locale), recipients.toLocaleString(locale))}</span>
          </li>
        ))}
        {flows.map(({ id, name, paused, inside }) => (
          <li key={id} className={styles.line}>
            <Link to={paths.flow(slug, id)}>
              <bdi>{name}</bdi>
            </Link>
            {paused && <Status word="paused" />}
            <span>{words.inside(inside)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Webhooks({ endpoints }: Readonly<{ endpoints: NonNullable<Overview['webhooks']> }>) {
  const { overview: words, nav } = useWords()
  const slug = useSlug()
  if (endpoints.length === 0) return null
  return (
    <section className={styles.part} aria-label={nav.webhooks}>
      <h2>{nav.webhooks}</h2>
      <ul className={styles.list}>
        {endpoints.map(({ id, name, tries, failed, waiting }) => (
          <li key={id} className={styles.line}>
            <Link to={paths.webhook(slug, id)}>
              <bdi>{name}</bdi>
            </Link>
            <span>{words.triesOf(tries, failed, waiting)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
