import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useParams } from 'react-router'
import type { Profile } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { personName } from '../../ui/person-name.ts'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { Channels } from './channels.tsx'
import { EditProfile } from './edit-profile.tsx'
import { useProfile } from './profile.api.ts'
import styles from './profile.module.css'

export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { id = '' } = useParams()
  const { data: profile, error, refetch } = useProfile(id)
  const back = { to: paths.profiles(slug), text: words.profile.back }
  if (profile === undefined)
    return (
      <Page title={words.find.profile} back={back}>
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  return <Known profile={profile} back={back} />
}

function Known({ profile, back }: Readonly<{ profile: Profile; back: Readonly<{ to: string; text: string }> }>) {
  const words = useWords()
  const [isEdited, { open, close }] = useDisclosure(false)
  const [note, setNote] = useState('')
  const saved = (isShown: boolean): void => {
    setNote(isShown ? words.ui.saved : words.ui.savedSoon)
    close()
  }
  return (
    <Page
      title={personName(profile) ?? words.profile.unnamed}
      back={back}
      aside={<CopyId id={profile.id} />}
      actions={
        <Button variant="default" onClick={open}>
          {words.profile.edit}
        </Button>
      }
    >
      <EditProfile opened={isEdited} onClose={close} onSaved={saved} profile={profile} />
      <p role="status" className={styles.note}>
        {note}
      </p>
      <h2 className={styles.title}>{words.profile.channels}</h2>
      <Channels profile={profile} onDone={() => setNote(words.ui.saved)} />
      <h2 className={styles.title}>{words.profile.details}</h2>
      <Details profile={profile} />
    </Page>
  )
}

function Details({ profile }: Readonly<{ profile: Profile }>) {
  const words = useWords()
  const { none } = words.ui
  const text = (value: string | null) => (value === null || value === '' ? none : <bdi>{value}</bdi>)
  return (
    <Facts
      items={[
        [words.profile.firstName, text(profile.firstName)],
        [words.profile.lastName, text(profile.lastName)],
        [words.profile.locale, text(profile.locale)],
        [words.profile.timezone, text(profile.timezone)],
        [words.profile.validation, <Status key="validation" word={profile.emailValidationState} />],
        [words.profile.tags, text(profile.tags.join(', '))],
        [words.profile.notes, text(profile.notes)],
        ...Object.entries(profile.customProperties).map(
          ([name, value]) => [name, <bdi key={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>] as const,
        ),
        [words.profiles.created, <Time key="created" at={profile.createdAt} />],
        [words.profiles.updated, <Time key="updated" at={profile.updatedAt} />],
      ]}
    />
  )
}
