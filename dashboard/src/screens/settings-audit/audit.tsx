import { Group, NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { AuditEntry } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { daysOf, PERIODS, type Period, periodNamed } from '../../ui/period.ts'
import { Problem } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useZone } from '../../ui/zone.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useAudit, useUsers } from './audit.api.ts'
import { screenOf } from './entry.ts'

/** A type that a newer process wrote has no words here yet. */
const whatOf = (what: string, { acts, notes }: Words['audit']) => {
  const words: Readonly<Record<string, string>> = { ...acts, ...notes }
  return words[what] ?? <bdi lang="en">{what}</bdi>
}

function Thing({ what, thing }: Readonly<{ what: string; thing: string }>) {
  const to = screenOf(what, thing, useSlug())
  const id = <bdi dir="ltr">{thing}</bdi>
  return to === null ? id : <Link to={to}>{id}</Link>
}

const columnsIn = ({ audit: words, ui }: Words): readonly Column<AuditEntry>[] => [
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
  { key: 'by', header: words.by, cell: ({ by }) => <bdi dir="ltr">{by}</bdi> },
  { key: 'what', header: words.what, cell: ({ what }) => whatOf(what, words) },
  { key: 'thing', header: words.thing, cell: ({ what, thing }) => (thing === null ? ui.none : <Thing what={what} thing={thing} />) },
  { key: 'request', header: words.request, cell: ({ requestId }) => <bdi dir="ltr">{requestId}</bdi> },
]

/** Who did what, and who looked at what: of everybody or of one person, newest first. */
export function Component() {
  const words = useWords()
  const { zone } = useZone()
  const [userId, setUserId] = useState('')
  const [days, setDays] = useState<Period>(30)
  const { from, to } = daysOf(days, zone, new Date())
  const { audit } = words
  return (
    <Page title={audit.title}>
      <p>{audit.help}</p>
      <Filter {...{ userId, days }} onUser={setUserId} onDays={setDays} />
      <CursorRows pages={useAudit({ userId, from, to, zone })} empty={<Empty text={audit.empty} />}>
        {(rows) => <DataTable label={audit.title} columns={columnsIn(words)} rows={rows} rowKey={({ id }) => id} />}
      </CursorRows>
    </Page>
  )
}

type FilterProps = Readonly<{ userId: string; days: Period; onUser: (userId: string) => void; onDays: (days: Period) => void }>

function Filter({ userId, days, onUser, onDays }: FilterProps) {
  const { audit: words, overview } = useWords()
  const { data: users, error, refetch } = useUsers()
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
