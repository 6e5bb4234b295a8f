import { Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { AuditEntry } from '../api/calls.ts'
import type { Words } from '../words/en.ts'
import { useWords } from '../words/words.tsx'
import { type AuditSource, useAudit, useUsers } from './audit.api.ts'
import { CursorRows } from './cursor-rows.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { Empty } from './empty.tsx'
import { Page } from './page.tsx'
import { daysOf, PERIODS, type Period, periodNamed } from './period.ts'
import { Problem } from './problem.tsx'
import { Time } from './time.tsx'
import { useZone } from './zone.tsx'

/** A type that a newer process wrote has no words here yet. */
const whatOf = (what: string, { acts, notes }: Words['audit']) => {
  const words: Readonly<Record<string, string>> = { ...acts, ...notes }
  return words[what] ?? <bdi lang="en">{what}</bdi>
}

/** Where a thing is shown; null where no screen shows it. */
type ScreenOfThing = (what: string, thing: string) => string | null

function Thing({ to, thing }: Readonly<{ to: string | null; thing: string }>) {
  const id = <bdi dir="ltr">{thing}</bdi>
  return to === null ? id : <Link to={to}>{id}</Link>
}

const columnsIn = ({ audit: words, ui }: Words, screenOf: ScreenOfThing): readonly Column<AuditEntry>[] => [
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
  { key: 'by', header: words.by, cell: ({ by }) => <bdi dir="ltr">{by}</bdi> },
  { key: 'what', header: words.what, cell: ({ what }) => whatOf(what, words) },
  {
    key: 'thing',
    header: words.thing,
    cell: ({ what, thing }) => (thing === null ? ui.none : <Thing to={screenOf(what, thing)} thing={thing} />),
  },
  { key: 'request', header: words.request, cell: ({ requestId }) => <bdi dir="ltr">{requestId}</bdi> },
]

type Props = Readonly<{ title: string; help: string; source: AuditSource; screenOf: ScreenOfThing }>

/** Shows who did what, newest first: everybody's acts, or those of one person. */
export function AuditPage({ title, help, source, screenOf }: Props) {
  const words = useWords()
  const { zone } = useZone()
  const [userId, setUserId] = useState('')
  const [days, setDays] = useState<Period>(30)
  const { from, to } = daysOf(days, zone, new Date())
  const { audit } = words
  return (
    <Page title={title}>
      <p>{help}</p>
      <Filter {...{ source, userId, days }} onUser={setUserId} onDays={setDays} />
      <CursorRows pages={useAudit(source, { userId, from, to, zone })} empty={<Empty text={audit.empty} />}>
        {(rows) => <DataTable label={title} columns={columnsIn(words, screenOf)} rows={rows} rowKey={({ id }) => id} />}
      </CursorRows>
    </Page>
  )
}

type FilterProps = Readonly<{
  source: AuditSource
  userId: string
  days: Period
  onUser: (userId: string) => void
  onDays: (days: Period) => void
}>

function Filter({ source, userId, days, onUser, onDays }: FilterProps) {
  const { audit: words, overview } = useWords()
  const { data: users, error, refetch } = useUsers(source)
  return (
    <search>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <Group gap="sm" align="end">
        <NativeSelect
          label={words.person}
          value={userId}
          data={[{ value: '', label: words.everybody }, ...(users ?? []).map(({ id, email }) => ({ value: id, label: email }))]}
          onChange={(event) => onUser(event.currentTarget.value)}
        />
        <NativeSelect
          label={overview.period}
          value={String(days)}
          data={PERIODS.map((value) => ({ value: String(value), label: overview.periods[value] }))}
          onChange={(event) => onDays(periodNamed(event.currentTarget.value))}
        />
      </Group>
    </search>
  )
}
