import { Link } from 'react-router'
import type { TimelineEntry } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { useTimeline } from './person.api.ts'
import styles from './timeline.module.css'

/** What happened to the person, newest first. */
export function Timeline({ id }: Readonly<{ id: string }>) {
  const { timeline: words } = useWords()
  return (
    <CursorRows pages={useTimeline(id)} empty={<Empty text={words.empty} />}>
      {(entries) => (
        <ol className={styles.timeline}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Time at={entry.at} />
              <span className={styles.what}>
                <What entry={entry} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </CursorRows>
  )
}

/** The parts of what an entry says, each where there is one. */
function What({ entry }: Readonly<{ entry: TimelineEntry }>) {
  const { timeline: words, channels } = useWords()
  const { kind, channel, status, reason, actor } = entry
  return (
    <>
      <Thing entry={entry} />
      {kind !== 'message' && channel !== null && <span>{channels[channel]}</span>}
      {status !== null && <Status word={status} />}
      <Fields entry={entry} />
      {reason !== null && (
        <bdi className={styles.more} lang="en">
          {reason}
        </bdi>
      )}
      {actor !== null && <bdi className={styles.more}>{words.by(actor)}</bdi>}
    </>
  )
}

/** What it is about, with the way there. */
function Thing({ entry: { kind, thingId, name, channel } }: Readonly<{ entry: TimelineEntry }>) {
  const { timeline: words, channels } = useWords()
  const slug = useSlug()
  if (kind === 'message')
    return (
      <Link to={paths.message(slug, thingId)} data-row className={styles.thing}>
        <bdi>{name ?? words.message(channel === null ? '' : channels[channel])}</bdi>
      </Link>
    )
  const isOfList = kind === 'list_joined' || kind === 'list_left'
  const isAddress = kind === 'email_changed' || kind === 'phone_changed'
  const called = name ?? (isAddress ? words.removed : null)
  return (
    <>
      <span className={styles.thing}>{words.kinds[kind]}</span>
      {isOfList ? (
        <Link to={paths.list(slug, thingId)}>
          <bdi>{called ?? thingId}</bdi>
        </Link>
      ) : (
        called !== null && <bdi dir={isAddress && name !== null ? 'ltr' : 'auto'}>{called}</bdi>
      )}
    </>
  )
}

/** The fields of the profile that changed; of a message, whether it was opened and clicked. */
function Fields({ entry: { kind, fields } }: Readonly<{ entry: TimelineEntry }>) {
  const { timeline, profile } = useWords()
  if (fields.length === 0) return null
  const names: Readonly<Record<string, string>> =
    kind === 'message' ? { opened: timeline.opened, clicked: timeline.clicked } : profile.fields
  return <span className={styles.more}>{fields.map((field) => names[field] ?? field).join(', ')}</span>
}
