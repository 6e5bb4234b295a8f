import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { FoundMessage } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'

type NamedRecord = Readonly<{ id: string; name: string | null }>

type Props = Readonly<{ message: FoundMessage }>

type LinkProps = Readonly<{ thing: NamedRecord | null; to: (slug: string, id: string) => string; unknown: string }>

/** Leads to the record's own page; without a name it is called what it is. */
function LinkTo({ thing, to, unknown }: LinkProps) {
  const { ui } = useWords()
  const slug = useSlug()
  if (thing === null) return ui.none
  return (
    <Link to={to(slug, thing.id)}>
      <bdi>{thing.name ?? unknown}</bdi>
    </Link>
  )
}

/** What became of the message, and whose it is. */
export function MessageOutcome({ message }: Props) {
  const { messages: words } = useWords()
  const reason: readonly (readonly [string, ReactNode])[] =
    message.failureReason === null ? [] : [[words.reason, <bdi key="reason">{message.failureReason}</bdi>]]
  return (
    <Facts
      items={[
        [words.status, <Status key="status" word={message.status} />],
        ...reason,
        [words.person, <LinkTo key="person" thing={message.person} to={paths.profile} unknown={words.unnamed} />],
      ]}
    />
  )
}

/** What sent the message, and when it was where; each leads to its own page, or to the other messages of it. */
export function MessageFacts({ message }: Props) {
  const { messages: words, profiles, channels, ui } = useWords()
  const toFlow = (slug: string, id: string) => paths.flow(slug, id, message.person?.id)
  return (
    <Section title={words.facts}>
      <Facts
        items={[
          [profiles.channel, channels[message.channel]],
          [words.kind, words.kinds[message.kind]],
          [words.template, <LinkTo key="template" thing={message.template} to={paths.template} unknown={words.template} />],
          [words.campaign, <LinkTo key="campaign" thing={message.campaign} to={paths.campaign} unknown={words.campaign} />],
          [words.flow, <LinkTo key="flow" thing={message.flow} to={toFlow} unknown={words.flow} />],
          [words.queued, <Time key="queued" at={message.queuedAt} />],
          [words.sent, <Time key="sent" at={message.sentAt} />],
          [words.delivered, <Time key="delivered" at={message.deliveredAt} />],
          [words.opened, <Time key="opened" at={message.openedAt} />],
          [words.clicked, <Time key="clicked" at={message.clickedAt} />],
          [words.updated, <Time key="updated" at={message.updatedAt} />],
          [
            words.providerId,
            <bdi key="provider" dir="ltr">
              {message.providerMessageId ?? ui.none}
            </bdi>,
          ],
        ]}
      />
    </Section>
  )
}
