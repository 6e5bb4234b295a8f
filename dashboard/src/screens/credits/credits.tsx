import { Button, NativeSelect } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { sessionQuery } from '../../app/session.ts'
import { AddCredits } from '../../ui/add-credits.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { daysOf, PERIODS, type Period, periodNamed, stepText } from '../../ui/period.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { useZone } from '../../ui/zone.tsx'
import { useWords } from '../../words/words.tsx'
import { statementFile, useCheckCredits, useCredits, useCreditUse } from './credits.api.ts'
import { Statement } from './statement.tsx'

const Chart = lazy(() => import('../../ui/chart.tsx'))

/** What can be spent on text messages, what was, and what became of each credit. */
export function Component() {
  const { credits: words, locale } = useWords()
  const { data: session } = useQuery(sessionQuery)
  const [isAdding, { open, close }] = useDisclosure(false)
  const { data, error, refetch } = useCredits()
  const number = (count: number) => count.toLocaleString(locale)
  return (
    <Page title={words.title} actions={session?.operator && <Button onClick={open}>{words.add}</Button>}>
      <AddCredits opened={isAdding} onClose={close} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <Facts
          items={[
            [words.available, number(data.available)],
            [words.held, number(data.held)],
            [words.balance, number(data.balance)],
          ]}
        />
      )}
      <Use />
      <Section title={words.statement}>
        <Statement />
      </Section>
      {session?.operator && <Check />}
    </Page>
  )
}

function Use() {
  const { credits: words, overview, locale } = useWords()
  const { zone } = useZone()
  const [days, setDays] = useState<Period>(30)
  const { from, to } = daysOf(days, zone, new Date())
  const { data, error, refetch, isPlaceholderData } = useCreditUse({ from, to, zone })
  const names = data?.steps.map(({ at }) => stepText(at, { locale, zone, step: 'day' })) ?? []
  const series = [{ key: 'used', name: words.used, values: data?.steps.map(({ used }) => used) ?? [] }]
  return (
    <Section title={words.use}>
      <NativeSelect
        label={overview.period}
        value={String(days)}
        data={PERIODS.map((value) => ({ value: String(value), label: overview.periods[value] }))}
        onChange={(event) => setDays(periodNamed(event.currentTarget.value))}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <div aria-busy={isPlaceholderData}>
          {data.since !== null && (
            <p role="note">
              {words.countedSince} <Time at={data.since} />
            </p>
          )}
          <Suspense fallback={<Loading />}>
            <Chart title={words.byDay} kind="bars" stepName={overview.day} steps={names} series={series} />
          </Suspense>
          <p>{data.daysLeft !== null && words.daysLeft(data.daysLeft)}</p>
        </div>
      )}
      <div>
        <Button component="a" variant="default" href={statementFile({ from, to, zone })} download>
          {words.file}
        </Button>
      </div>
    </Section>
  )
}

/** What `credits verify` says, for operators. */
function Check() {
  const { credits: words, locale } = useWords()
  const checking = useCheckCredits()
  const { data } = checking
  return (
    <Section title={words.check}>
      <p>{words.checkHelp}</p>
      <div>
        <Button variant="default" loading={checking.isPending} onClick={() => checking.mutate()}>
          {words.checkNow}
        </Button>
      </div>
      {checking.error && <Problem error={checking.error} />}
      <div role="status">
        {data?.ok && `● ${words.right(data.events.toLocaleString(locale), data.balance.toLocaleString(locale))}`}
        {data && !data.ok && (
          <ul lang="en">
            {data.problems.map((problem) => (
              <li key={problem}>
                <bdi>{problem}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Section>
  )
}
