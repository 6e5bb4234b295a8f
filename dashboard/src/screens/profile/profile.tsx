import { Button, Group, Tabs } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { personName } from '@tidings/domain'
import { type ReactNode, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import type { Profile } from '../../api/calls.ts'
import { ApiProblem } from '../../api/client.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { CopyId } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FoundMessages } from '../../ui/found-messages.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { exactTime } from '../../ui/time-text.ts'
import { useZone } from '../../ui/zone.tsx'
import { useWords } from '../../words/words.tsx'
import { Channels } from './channels.tsx'
import { Consent } from './consent.tsx'
import { parseAt } from './consent-line.ts'
import { Details } from './details.tsx'
import { EditProfile } from './edit-profile.tsx'
import { Flows, Lists } from './memberships.tsx'
import { PersonMenu } from './person-menu.tsx'
import { useProfile } from './profile.api.ts'
import styles from './profile.module.css'
import { SendMail } from './send-mail.tsx'
import { Timeline } from './timeline.tsx'

export function Component() {
  const words = useWords()
  const slug = useSlug()
  const { id = '' } = useParams()
  const { data: profile, error, refetch } = useProfile(id)
  const back = { to: paths.profiles(slug), text: words.profile.back }
  const isGone = error instanceof ApiProblem && error.status === 404
  if (profile === undefined || isGone)
    return (
      <Page title={words.find.profile} back={back}>
        {isGone && profile !== undefined && <Empty text={words.profile.gone} />}
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  return <Known profile={profile} back={back} />
}

const TABS = ['timeline', 'consent', 'messages', 'flows', 'lists', 'details'] as const
type Tab = (typeof TABS)[number]

const isTab = (text: string | null): text is Tab => TABS.some((tab) => tab === text)

/** The tab and the moment that are shown stand in the address. The past is of consent and of the details. */
function useShown() {
  const [search, setSearch] = useSearchParams()
  const named = search.get('tab')
  const at = parseAt(search.get('at'), Date.now())
  const tab: Tab = at === null ? (isTab(named) ? named : 'timeline') : named === 'details' ? 'details' : 'consent'
  const show = (next: Readonly<{ tab: Tab; at: string | null }>): void =>
    setSearch({ ...(next.tab !== 'timeline' && { tab: next.tab }), ...(next.at !== null && { at: next.at }) }, { replace: true })
  return { tab, at, show }
}

type KnownProps = Readonly<{ profile: Profile; back: Readonly<{ to: string; text: string }> }>

function Known({ profile, back }: KnownProps) {
  const words = useWords()
  const { tab, at, show } = useShown()
  const [note, setNote] = useState<ReactNode>('')
  const toTab = (next: string | null): void => {
    if (isTab(next)) show({ tab: next, at: next === 'consent' || next === 'details' ? at : null })
  }
  return (
    <div className={styles.moment} data-past={at !== null}>
      <Page
        title={personName(profile) ?? words.profile.unnamed}
        back={back}
        aside={<CopyId id={profile.id} />}
        actions={at === null && <Actions profile={profile} onNote={setNote} />}
      >
        {at !== null && <Past at={at} onBack={() => show({ tab, at: null })} />}
        <p role="status" className={styles.note}>
          {note}
        </p>
        {at === null && <Channels profile={profile} onDone={() => setNote(words.ui.saved)} />}
        <Tabs value={tab} onChange={toTab} keepMounted={false}>
          <Tabs.List>
            {TABS.map((one) => (
              <Tabs.Tab key={one} value={one}>
                {words.profile.tabs[one]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab} className={styles.panel}>
            <Shown tab={tab} profile={profile} at={at} onAt={(next) => show({ tab, at: next })} />
          </Tabs.Panel>
        </Tabs>
      </Page>
    </div>
  )
}

type ShownProps = Readonly<{ tab: Tab; profile: Profile; at: string | null; onAt: (at: string | null) => void }>

function Shown({ tab, profile, at, onAt }: ShownProps) {
  const { profile: words } = useWords()
  const slug = useSlug()
  const { id } = profile
  switch (tab) {
    case 'timeline':
      return <Timeline id={id} />
    case 'consent':
      return <Consent profile={profile} at={at} onAt={onAt} />
    case 'messages':
      return (
        <FoundMessages
          query={{ contactId: id }}
          slug={slug}
          label={words.tabs.messages}
          empty={<Empty text={words.noMessages} />}
          of="person"
        />
      )
    case 'flows':
      return <Flows id={id} />
    case 'lists':
      return <Lists id={id} />
    case 'details':
      return <Details profile={profile} at={at} onAt={onAt} />
    default:
      return tab satisfies never
  }
}

/** Says that what is shown is over, and leads back. */
function Past({ at, onBack }: Readonly<{ at: string; onBack: () => void }>) {
  const { consent: words, profile, locale } = useWords()
  const { zone } = useZone()
  return (
    <div className={styles.past} role="status">
      <span>
        {words.asOf(exactTime(new Date(at), { locale, zone }))}. {profile.inThePast}
      </span>
      <Button size="compact-sm" onClick={onBack}>
        {words.back}
      </Button>
    </div>
  )
}

function Actions({ profile, onNote }: Readonly<{ profile: Profile; onNote: (note: ReactNode) => void }>) {
  const words = useWords()
  const slug = useSlug()
  const [isEdited, editing] = useDisclosure(false)
  const [isWritten, writing] = useDisclosure(false)
  const saved = (isShown: boolean): void => {
    onNote(isShown ? words.ui.saved : words.ui.savedSoon)
    editing.close()
  }
  const sent = (messageId: string): void => {
    onNote(
      <>
        {words.profile.sent} <Link to={paths.message(slug, messageId)}>{words.profile.toMessage}</Link>
      </>,
    )
    writing.close()
  }
  return (
    <Group gap="xs">
      <Button variant="default" onClick={writing.open}>
        {words.profile.send}
      </Button>
      <Button variant="default" onClick={editing.open}>
        {words.profile.edit}
      </Button>
      <PersonMenu profile={profile} />
      <SendMail opened={isWritten} onClose={writing.close} onSent={sent} profile={profile} />
      <EditProfile opened={isEdited} onClose={editing.close} onSaved={saved} profile={profile} />
    </Group>
  )
}
