import { Button, Group } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { type FoundMessage, type MessageSearchPage, queryOf } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { MOVING_MS, nextPoll } from '../api/polling.ts'
import { keys } from '../api/query-keys.ts'
import { paths } from '../paths.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Loading } from './loading.tsx'
import { Problem } from './problem.tsx'
import { Status } from './status.tsx'
import { isMoving } from './status-tone.ts'
import { Time } from './time.tsx'

const LIMIT = 50

type Query = Readonly<Record<string, string>>

/** Newest first; asked again while one on the page may still leave. */
function useMessages(query: Query) {
  return useQuery({
    queryKey: [...keys.messages, 'search', query],
    queryFn: ({ signal }) => client.read<MessageSearchPage>(`/dashboard/messages${queryOf({ ...query, limit: LIMIT })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => isMoving(status)) ? nextPoll(MOVING_MS, state) : false),
  })
}

/** The name of what sent a message: other messages of it are one step away. */
function SentBy({ message, slug }: Readonly<{ message: FoundMessage; slug: string }>) {
  const { messages: words, ui } = useWords()
  const { campaign, flow, template } = message
  const others = (filter: string, id: string): string => `${paths.messages(slug)}${queryOf({ [filter]: id })}`
  if (campaign !== null) return <Link to={others('campaign', campaign.id)}>{<bdi>{campaign.name ?? words.campaign}</bdi>}</Link>
  if (flow !== null) return <Link to={others('flow', flow.id)}>{<bdi>{flow.name ?? words.flow}</bdi>}</Link>
  if (template !== null) return <Link to={others('template', template.id)}>{<bdi>{template.name ?? words.template}</bdi>}</Link>
  return ui.none
}

const engagementOf = ({ openedAt, clickedAt }: FoundMessage, { timeline, ui }: Words): string =>
  [openedAt !== null && timeline.opened, clickedAt !== null && timeline.clicked].filter(Boolean).join(', ') || ui.none

/** A page of one person's messages does not name the person in each row, and people of a campaign come before their messages. */
type MessagesOf = 'any' | 'person' | 'campaign'

const PEOPLE_OF_CAMPAIGN = ['name', 'status', 'reason', 'engagement', 'queued', 'person']

const columnsOf = (of: MessagesOf, words: Words, slug: string): readonly Column<FoundMessage>[] => {
  const columns = columnsIn(words, slug)
  if (of === 'campaign') return PEOPLE_OF_CAMPAIGN.flatMap((wanted) => columns.filter(({ key }) => key === wanted))
  return columns.filter(({ key }) => key !== 'name' && (of === 'any' || key !== 'person'))
}

const columnsIn = (words: Words, slug: string): readonly Column<FoundMessage>[] => {
  const { messages, profiles, channels, ui } = words
  return [
    { key: 'name', header: messages.message, cell: ({ person }) => <bdi>{person?.name ?? messages.unnamed}</bdi> },
    { key: 'queued', header: messages.queued, cell: ({ queuedAt }) => <Time at={queuedAt} inTable /> },
    { key: 'channel', header: profiles.channel, cell: ({ channel }) => channels[channel] },
    { key: 'status', header: messages.status, cell: ({ status }) => <Status word={status} /> },
    { key: 'reason', header: messages.reason, cell: ({ failureReason }) => <bdi lang="en">{failureReason ?? ui.none}</bdi> },
    { key: 'kind', header: messages.kind, cell: ({ kind }) => messages.kinds[kind] },
    { key: 'sentBy', header: messages.sentBy, cell: (message) => <SentBy message={message} slug={slug} /> },
    { key: 'engagement', header: `${messages.opened}, ${messages.clicked}`, cell: (message) => engagementOf(message, words) },
    {
      key: 'person',
      header: messages.person,
      cell: ({ person }) =>
        person === null ? (
          ui.none
        ) : (
          <Link to={paths.profile(slug, person.id)}>
            <bdi>{person.name ?? messages.unnamed}</bdi>
          </Link>
        ),
    },
  ]
}

type Props = Readonly<{ query: Query; slug: string; label: string; empty: ReactNode; of?: MessagesOf }>

/** Messages that a query finds, page after page. Give it the query as its `key`: another query begins at its first page. */
export function FoundMessages({ query, slug, label, empty, of = 'any' }: Props) {
  const words = useWords()
  // Where each page that was opened begins, the first one before them.
  const [places, setPlaces] = useState<readonly string[]>([])
  const { data, error, refetch, isPlaceholderData } = useMessages({ ...query, after: places.at(-1) ?? '' })
  const next = data?.next_cursor ?? null
  return (
    <>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && (next === null ? empty : <p>{words.messages.noneHere}</p>)}
      {data && data.items.length > 0 && (
        <DataTable
          label={label}
          columns={columnsOf(of, words, slug)}
          rows={data.items}
          rowKey={({ id }) => id}
          rowLink={({ id }) => paths.message(slug, id)}
          stale={isPlaceholderData}
        />
      )}
      {(places.length > 0 || next !== null) && (
        <Group gap="sm">
          <Button variant="default" size="compact-sm" disabled={places.length === 0} onClick={() => setPlaces(places.slice(0, -1))}>
            {words.ui.previous}
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            disabled={next === null || isPlaceholderData}
            onClick={() => next !== null && setPlaces([...places, next])}
          >
            {words.ui.next}
          </Button>
        </Group>
      )}
    </>
  )
}
