import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { ContactConsent, Profile } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { isAdmin, sessionQuery } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import type { Column } from '../../ui/data-table.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import styles from './consent.module.css'
import { MomentSlider } from './moment-slider.tsx'
import { proofAddress, useConsent } from './person.api.ts'

type Entry = ContactConsent['history'][number]
type Props = Readonly<{ profile: Profile; at: string | null; onAt: (at: string | null) => void }>

/** What the person had agreed to at a moment, and how it came to be. */
export function Consent({ profile, at, onAt }: Props) {
  const { consent: words, channels } = useWords()
  const all = useConsent(profile.id, '')
  const then = useConsent(profile.id, at ?? '')
  const { data, error, refetch } = at === null ? all : then
  const isUnknown = at !== null && error instanceof ApiProblem && error.status === 404
  return (
    <>
      <MomentSlider
        createdAt={profile.createdAt}
        dots={(all.data?.history ?? []).map(({ position, channel, to, at: said }) => ({
          key: `${position} ${channel}`,
          at: said,
          title: `${channels[channel]}: ${to}`,
          to,
        }))}
        at={at}
        onAt={onAt}
      />
      <Proof id={profile.id} at={at} />
      {error && !isUnknown && <Problem error={error} onRetry={() => void refetch()} />}
      {isUnknown && <Empty text={words.unknown} />}
      {data === undefined && !error && <Loading />}
      {data && !error && <State data={data} onAt={onAt} />}
    </>
  )
}

/** The proof of all statements; its report shows the chosen moment as well. For admins. */
function Proof({ id, at }: Readonly<{ id: string; at: string | null }>) {
  const { profile: words } = useWords()
  const { data: session } = useQuery(sessionQuery)
  if (!isAdmin(session)) return null
  return (
    <div>
      <Button component="a" variant="default" size="compact-sm" href={proofAddress(id, at)}>
        {words.proof}
      </Button>{' '}
      <Link to={paths.verify()}>{words.checkProof}</Link>
      <p className={styles.ends}>{words.proofHelp}</p>
    </div>
  )
}

function State({ data: { channels: states, history, omitted }, onAt }: Readonly<{ data: ContactConsent; onAt: (at: string) => void }>) {
  const words = useWords()
  return (
    <>
      <dl className={styles.states}>
        {(['email', 'sms', 'push'] as const).map((channel) => (
          <div key={channel}>
            <dt>{words.channels[channel]}</dt>
            <dd>
              <Status word={states[channel]} />
            </dd>
          </div>
        ))}
      </dl>
      {history.length === 0 ? (
        <Empty text={words.consent.empty} />
      ) : (
        <DataTable
          label={words.consent.history}
          columns={columnsIn(words, onAt)}
          rows={history.toReversed()}
          rowKey={({ position, channel }) => `${position} ${channel}`}
        />
      )}
      {omitted > 0 && <p>{words.consent.omitted(omitted)}</p>}
    </>
  )
}

const columnsIn = ({ consent: words, channels, ui }: Words, onAt: (at: string) => void): readonly Column<Entry>[] => [
  {
    key: 'at',
    header: words.time,
    cell: ({ at }) => (
      <Button variant="subtle" size="compact-sm" onClick={() => onAt(at)}>
        <Time at={at} inTable />
      </Button>
    ),
  },
  { key: 'channel', header: words.channel, cell: ({ channel }) => channels[channel] },
  { key: 'to', header: words.said, cell: ({ to }) => <Status word={to} /> },
  { key: 'from', header: words.before, cell: ({ from }) => (from === null ? ui.none : <Status word={from} />) },
  { key: 'source', header: words.source, cell: ({ source }) => <bdi>{source}</bdi> },
  { key: 'actor', header: words.actor, cell: ({ actor }) => <bdi dir="ltr">{actor}</bdi> },
  {
    key: 'ip',
    header: words.from,
    cell: ({ ip, userAgent }) => <bdi dir="ltr">{[ip, userAgent].filter((part) => part !== null).join(' · ') || ui.none}</bdi>,
  },
  { key: 'position', header: words.proof, cell: ({ position }) => <bdi dir="ltr">{position}</bdi> },
]
