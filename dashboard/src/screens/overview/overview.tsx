import { Alert, Group, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { sessionQuery, useSlug } from '../../app/session.ts'
import { kept } from '../../kept.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { daysOf, PERIODS, periodNamed } from '../../ui/period.ts'
import { Problem } from '../../ui/problem.tsx'
import { useZone } from '../../ui/zone.tsx'
import { zoneNamed } from '../../ui/zoned-time.ts'
import { useWords } from '../../words/words.tsx'
import { Checklist } from './checklist.tsx'
import { Charts, Tiles } from './figures.tsx'
import { Attention, Running, Webhooks } from './now.tsx'
import { useChecklist, useFigures, useOverview } from './overview.api.ts'
import styles from './overview.module.css'

/** Whether the first steps of the workspace were closed in this browser. */
const closedPlace = (slug: string): string => `tidings-first-steps-${slug}`

/** The period and the zone stand in the address. */
function useShown() {
  const [search, setSearch] = useSearchParams()
  const { zone: own } = useZone()
  const shown = { days: periodNamed(search.get('days')), zone: zoneNamed(search.get('zone'), own) }
  const change = (name: 'days' | 'zone', value: string): void =>
    setSearch(
      (current) => {
        const changed = new URLSearchParams(current)
        changed.set(name, value)
        return changed
      },
      { replace: true },
    )
  return { shown, change }
}

/**
 * Shows what was counted, what needs somebody and what runs, and before them the first steps until all are done or closed. Each part waits for those above
 * it: what comes later would push away what somebody is about to press.
 */
export function Component() {
  const { overview: words } = useWords()
  const { data: session } = useQuery(sessionQuery)
  const { shown, change } = useShown()
  const asked = daysOf(shown.days, shown.zone, new Date())
  const figures = useFigures({ ...asked, zone: shown.zone })
  const now = useOverview()
  const slug = useSlug()
  const [isClosed, setClosed] = useState(() => kept.read(closedPlace(slug)) !== null)
  const steps = useChecklist(!isClosed)
  const close = (): void => {
    kept.write(closedPlace(slug), 'closed')
    setClosed(true)
  }
  // Where it cannot be had, the rest is shown all the same.
  if (!isClosed && !steps.isFetched)
    return (
      <Page title={words.title}>
        <Loading />
      </Page>
    )
  return (
    <Page title={words.title}>
      {session && !isClosed && steps.data?.items.some(({ done }) => !done) && (
        <Checklist list={steps.data} session={session} onClose={close} />
      )}
      <Choice days={String(shown.days)} zone={shown.zone} onChange={change} />
      {figures.error && <Problem error={figures.error} onRetry={() => void figures.refetch()} />}
      {figures.data === undefined && !figures.error && <Loading />}
      {figures.data && (
        <div className={styles.part} aria-busy={figures.isPlaceholderData}>
          {figures.data.state !== 'current' && (
            <Alert variant="default" title={words.incomplete}>
              {words.states[figures.data.state]}
            </Alert>
          )}
          <Tiles totals={figures.data.totals} credits={now.data?.credits ?? null} />
          <Charts figures={figures.data} step={figures.data.steps.length === 0 ? 'day' : asked.step} />
        </div>
      )}
      {now.error && <Problem error={now.error} onRetry={() => void now.refetch()} />}
      {now.data && (figures.data !== undefined || figures.isFetched) && (
        <div className={styles.charts}>
          <Attention needs={now.data.attention} />
          <Running campaigns={now.data.campaigns} flows={now.data.flows} />
          {now.data.webhooks && <Webhooks endpoints={now.data.webhooks} />}
        </div>
      )}
    </Page>
  )
}

const ZONES = Intl.supportedValuesOf('timeZone')

type ChoiceProps = Readonly<{ days: string; zone: string; onChange: (name: 'days' | 'zone', value: string) => void }>

function Choice({ days, zone, onChange }: ChoiceProps) {
  const { overview: words } = useWords()
  return (
    <Group gap="sm" align="end">
      <NativeSelect
        label={words.period}
        value={days}
        data={PERIODS.map((value) => ({ value: String(value), label: words.periods[value] }))}
        onChange={(event) => onChange('days', event.currentTarget.value)}
      />
      <NativeSelect
        label={words.zone}
        value={zone}
        data={[...new Set([zone, 'UTC', ...ZONES])]}
        onChange={(event) => onChange('zone', event.currentTarget.value)}
      />
    </Group>
  )
}
