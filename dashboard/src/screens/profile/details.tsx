import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { PastProfile, Profile } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { lineNames } from './changed-fields.ts'
import { isChanged, type ShownProfile, stepsFrom } from './changed-since.ts'
import { MomentSlider } from './moment-slider.tsx'
import { usePast } from './person.api.ts'
import styles from './profile.module.css'

type Props = Readonly<{ profile: Profile; at: string | null; onAt: (at: string | null) => void }>

/** Every field of the profile, now or as it was at a moment. */
export function Details({ profile, at, onAt }: Props) {
  const words = useWords()
  const { data, error, refetch } = usePast(profile.id, at ?? '')
  const isUnknown = error instanceof ApiProblem && error.status === 404
  const moments = data?.changes ?? []
  return (
    <>
      <MomentSlider
        createdAt={profile.createdAt}
        dots={moments.map((moment) => ({ key: moment, at: moment, title: moment }))}
        at={at}
        onAt={onAt}
      />
      <Steps moments={moments} at={at} onAt={onAt} />
      {at !== null && error && !isUnknown && <Problem error={error} onRetry={() => void refetch()} />}
      {at !== null && isUnknown && <Empty text={words.consent.unknown} />}
      {at !== null && data === undefined && !error && <Loading />}
      {at === null ? <Facts items={nowItems(words, profile)} /> : data && !error && <Then then={data} now={profile} />}
    </>
  )
}

/** From change to change. */
function Steps({ moments, at, onAt }: Omit<Props, 'profile'> & Readonly<{ moments: readonly string[] }>) {
  const { profile: words } = useWords()
  const { before, next } = stepsFrom(moments, at)
  return (
    <Group gap="xs">
      <Button variant="default" size="compact-sm" disabled={before === null} onClick={() => onAt(before)}>
        {words.changeBefore}
      </Button>
      <Button variant="default" size="compact-sm" disabled={next === null} onClick={() => onAt(next)}>
        {words.nextChange}
      </Button>
    </Group>
  )
}

/** What it was then; what is otherwise now says so. */
function Then({ then, now }: Readonly<{ then: PastProfile; now: Profile }>) {
  const words = useWords()
  const slug = useSlug()
  const { profile, ui } = words
  const blocks = (reasons: readonly string[]) => (reasons.length === 0 ? ui.none : <bdi lang="en">{reasons.join(', ')}</bdi>)
  return (
    <Facts
      items={[
        [words.profiles.email, mark(words, then, now, 'email')],
        [words.profiles.phone, mark(words, then, now, 'phone')],
        [words.profiles.emailConsent, mark(words, then, now, 'emailConsent')],
        [words.profiles.smsConsent, mark(words, then, now, 'smsConsent')],
        [words.profiles.pushConsent, mark(words, then, now, 'pushConsent')],
        [words.profiles.blockedOn.email, blocks(then.emailBlocks)],
        [words.profiles.blockedOn.sms, blocks(then.smsBlocks)],
        ...fieldItems(words, (field) => mark(words, then, now, field)),
        ...propertyItems(then, (name) => {
          const [was, is] = [then.customProperties[name], now.customProperties[name]]
          return marked(words, textOf(was, ui.none), isChanged(was, is) ? textOf(is, ui.none) : null)
        }),
        [
          profile.tabs.lists,
          then.lists.length === 0 ? (
            ui.none
          ) : (
            <ul className={styles.listsThen}>
              {then.lists.map(({ id, name }) => (
                <li key={id}>
                  <Link to={paths.list(slug, id)}>
                    <bdi>{name ?? id}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
          ),
        ],
        [words.profiles.created, <Time key="created" at={then.createdAt} />],
        [words.profiles.updated, <Time key="changed" at={then.changedAt} />],
      ]}
    />
  )
}

type Field = keyof ShownProfile

const CONSENTS: readonly Field[] = ['emailConsent', 'smsConsent', 'pushConsent', 'emailValidationState']

const shownField = (words: Words, profile: ShownProfile, field: Field): ReactNode => {
  const value = profile[field]
  if (CONSENTS.includes(field)) return <Status word={String(value)} />
  return textOf(Array.isArray(value) ? value.join(', ') : value, words.ui.none)
}

/** The value of then, and beside it the one of now where it is another. */
const mark = (words: Words, then: ShownProfile, now: ShownProfile, field: Field): ReactNode =>
  marked(words, shownField(words, then, field), isChanged(then[field], now[field]) ? shownField(words, now, field) : null)

const marked = ({ profile }: Words, then: ReactNode, now: ReactNode): ReactNode =>
  now === null ? (
    then
  ) : (
    <span className={styles.changed}>
      {then}{' '}
      <span className={styles.since}>
        {profile.nowIs} {now}
      </span>
    </span>
  )

const textOf = (value: unknown, none: string): ReactNode => {
  if (value === null || value === undefined || value === '') return none
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
}

type Item = readonly [string, ReactNode]

const fieldItems = ({ profile: { fields, validation } }: Words, show: (field: Field) => ReactNode): readonly Item[] => [
  ...lineNames.map((name): Item => [fields[name], show(name)]),
  [validation, show('emailValidationState')],
  [fields.tags, show('tags')],
  [fields.notes, show('notes')],
]

const propertyItems = ({ customProperties }: ShownProfile, show: (name: string) => ReactNode): readonly Item[] =>
  Object.keys(customProperties).map((name) => [name, show(name)] as const)

const nowItems = (words: Words, profile: Profile): readonly Item[] => [
  ...fieldItems(words, (field) => shownField(words, profile, field)),
  ...propertyItems(profile, (name) => textOf(profile.customProperties[name], words.ui.none)),
  [words.profiles.created, <Time key="created" at={profile.createdAt} />],
  [words.profiles.updated, <Time key="updated" at={profile.updatedAt} />],
]
