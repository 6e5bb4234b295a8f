import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { FoundMessage } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useMessages } from './messages.api.ts'

const STATES = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped'] as const
const CHANNELS = ['email', 'sms', 'voice', 'push'] as const
const FILTERS = ['status', 'channel', 'from', 'to'] as const

const columnsIn = ({ messages: words, profiles, channels, find, ui }: Words, slug: string): readonly Column<FoundMessage>[] => [
  { key: 'queued', header: words.queued, cell: ({ queuedAt }) => <Time at={queuedAt} inTable /> },
  { key: 'channel', header: profiles.channel, cell: ({ channel }) => channels[channel] },
  { key: 'status', header: words.status, cell: ({ status }) => <Status word={status} /> },
  { key: 'reason', header: words.reason, cell: ({ failureReason }) => <bdi lang="en">{failureReason ?? ui.none}</bdi> },
  {
    key: 'person',
    header: words.person,
    cell: ({ contactId }) => (contactId === null ? ui.none : <Link to={paths.profile(slug, contactId)}>{find.profile}</Link>),
  },
]

/** What is looked for stands in the address: it can be kept and sent to a colleague. */
function useAsked() {
  const [search, setSearch] = useSearchParams()
  const asked = {
    status: search.get('status') ?? '',
    channel: search.get('channel') ?? '',
    from: search.get('from') ?? '',
    to: search.get('to') ?? '',
  }
  const change = (name: (typeof FILTERS)[number], value: string): void =>
    setSearch(
      (current) => {
        const changed = new URLSearchParams(current)
        value === '' ? changed.delete(name) : changed.set(name, value)
        return changed
      },
      { replace: true },
    )
  return { asked, change }
}

/** Messages of a status, a channel or a period, newest first. */
export function Component() {
  const words = useWords()
  const { messages, ui } = words
  const slug = useSlug()
  const { asked, change } = useAsked()
  // Where each page that was opened begins, the first one before them.
  const [places, setPlaces] = useState<readonly string[]>([])
  const { data, error, refetch, isPlaceholderData } = useMessages({ ...asked, after: places.at(-1) ?? '' })
  const filter = (name: (typeof FILTERS)[number], value: string): void => {
    setPlaces([])
    change(name, value)
  }
  const next = data?.next_cursor ?? null
  const isFiltered = FILTERS.some((name) => asked[name] !== '')
  return (
    <Page title={messages.title}>
      <Filters asked={asked} onChange={filter} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={isFiltered || places.length > 0 ? messages.noMatch : messages.empty} />}
      {data && data.items.length > 0 && (
        <DataTable
          label={messages.title}
          columns={columnsIn(words, slug)}
          rows={data.items}
          rowKey={({ id }) => id}
          rowLink={({ id }) => paths.message(slug, id)}
          stale={isPlaceholderData}
        />
      )}
      <Group gap="sm">
        <Button variant="default" size="compact-sm" disabled={places.length === 0} onClick={() => setPlaces(places.slice(0, -1))}>
          {ui.previous}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          disabled={next === null || isPlaceholderData}
          onClick={() => next !== null && setPlaces([...places, next])}
        >
          {ui.next}
        </Button>
      </Group>
    </Page>
  )
}

type FilterProps = Readonly<{
  asked: Readonly<Record<(typeof FILTERS)[number], string>>
  onChange: (name: (typeof FILTERS)[number], value: string) => void
}>

function Filters({ asked, onChange }: FilterProps) {
  const { messages: words, profiles, channels } = useWords()
  return (
    <Group gap="sm" align="end">
      <NativeSelect
        label={words.status}
        value={asked.status}
        data={[{ value: '', label: profiles.any }, ...STATES.map((value) => ({ value, label: value }))]}
        onChange={(event) => onChange('status', event.currentTarget.value)}
      />
      <NativeSelect
        label={profiles.channel}
        value={asked.channel}
        data={[{ value: '', label: profiles.any }, ...CHANNELS.map((value) => ({ value, label: channels[value] }))]}
        onChange={(event) => onChange('channel', event.currentTarget.value)}
      />
      {(['from', 'to'] as const).map((side) => (
        <TextInput
          key={side}
          type="date"
          label={words[side]}
          value={asked[side]}
          onChange={(event) => onChange(side, event.currentTarget.value)}
        />
      ))}
    </Group>
  )
}
