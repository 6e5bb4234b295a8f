import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Profile } from '../../api/calls.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'
import { useBlock } from './profile.api.ts'
import styles from './profile.module.css'

type Channel = Readonly<{
  name: 'email' | 'sms' | 'push'
  address: string | null
  consent: string
  since: string | null
  isBlocked: boolean
}>

const channelsOf = (profile: Profile): readonly Channel[] => [
  {
    name: 'email',
    address: profile.email,
    consent: profile.emailConsent,
    since: profile.emailConsentTimestamp,
    isBlocked: profile.emailSuppressed,
  },
  {
    name: 'sms',
    address: profile.phone,
    consent: profile.smsConsent,
    since: profile.smsConsentTimestamp,
    isBlocked: profile.smsSuppressed,
  },
  { name: 'push', address: null, consent: profile.pushConsent, since: profile.pushConsentTimestamp, isBlocked: false },
]

/** How the person can be reached, and whether they may be. */
export function Channels({ profile, onDone }: Readonly<{ profile: Profile; onDone: () => void }>) {
  return (
    <div className={styles.channels}>
      {channelsOf(profile).map((channel) => (
        <ChannelPanel key={channel.name} channel={channel} contactId={profile.id} onDone={onDone} />
      ))}
    </div>
  )
}

function ChannelPanel({ channel, contactId, onDone }: Readonly<{ channel: Channel; contactId: string; onDone: () => void }>) {
  const { profile: words, channels, ui } = useWords()
  const { name, address, consent, since, isBlocked } = channel
  const [isAsked, setAsked] = useState(false)
  const blocking = useBlock(contactId, () => {
    setAsked(false)
    onDone()
  })
  const verb = isBlocked ? words.unblock(channels[name]) : words.block(channels[name])
  return (
    <section className={styles.channel} aria-label={channels[name]}>
      <h2>{channels[name]}</h2>
      {name !== 'push' && (
        <bdi dir="ltr" className={styles.address}>
          {address ?? ui.none}
        </bdi>
      )}
      <div className={styles.states}>
        <Status word={consent} />
        {isBlocked && <Status word="blocked" />}
      </div>
      {since !== null && (
        <span className={styles.since}>
          {words.since} <Time at={since} />
        </span>
      )}
      {name !== 'push' && (
        <>
          <Button variant="default" size="compact-sm" onClick={() => setAsked(true)}>
            {verb}
          </Button>
          <Confirm
            opened={isAsked}
            title={isBlocked ? words.unblockTitle(channels[name]) : words.blockTitle(channels[name])}
            verb={verb}
            dangerous={!isBlocked}
            pending={blocking.isPending}
            error={blocking.error}
            onConfirm={() => blocking.mutate({ contactId, channel: name, isBlocked })}
            onClose={() => setAsked(false)}
          >
            {isBlocked ? words.unblockHelp : words.blockHelp}
          </Confirm>
        </>
      )}
    </section>
  )
}
