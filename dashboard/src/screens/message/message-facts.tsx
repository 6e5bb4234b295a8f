import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { FoundMessage } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Facts } from '../../ui/facts.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { useWords } from '../../words/words.tsx'

type NamedRecord = Readonly<{ id: string; name: string | null }>

/** What became of the message, whose it is and what sent it; each leads to its own page, or to the other messages of it. */
export function MessageFacts({ message }: Readonly<{ message: FoundMessage }>) {
  const { messages: words, profiles, channels, ui } = useWords()
  const slug = useSlug()
  const text = (value: string | null, unknown: string = ui.none) => <bdi>{value ?? unknown}</bdi>
  const link = (thing: NamedRecord | null, to: (id: string) => string, unknown: string): ReactNode =>
    thing === null ? ui.none : <Link to={to(thing.id)}>{text(thing.name, unknown)}</Link>
  return (
    <Facts
      items={[
        [words.status, <Status key="status" word={message.status} />],
        [words.reason, text(message.failureReason)],
        [words.person, link(message.person, (id) => paths.profile(slug, id), words.unnamed)],
        [profiles.channel, channels[message.channel]],
        [words.kind, words.kinds[message.kind]],
        [words.template, link(message.template, (id) => paths.template(slug, id), words.template)],
        [words.campaign, link(message.campaign, (id) => paths.campaign(slug, id), words.campaign)],
        [words.flow, link(message.flow, (id) => paths.flow(slug, id, message.person?.id), words.flow)],
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
  )
}
