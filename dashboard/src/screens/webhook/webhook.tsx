import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'react-router'
import type { WatchedWebhook, WebhookTry } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { arrivedText } from '../../ui/arrived.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { CursorRows } from '../../ui/cursor-rows.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useMoveWebhook, useTestDelivery, useTries, useWebhook } from './webhook.api.ts'

/** An endpoint: how its deliveries go, and its last tries. */
export function Component() {
  const { webhook: words, webhooks } = useWords()
  const { id = '' } = useParams()
  const slug = useSlug()
  const { data, error, refetch } = useWebhook(id)
  return (
    <Page
      title={data?.label ?? webhooks.endpoint}
      back={{ to: paths.webhooks(slug), text: webhooks.title }}
      {...(data && { aside: <CopyId id={data.id} />, actions: <Actions webhook={data} /> })}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && (
        <>
          <FactsOf webhook={data} />
          <Section title={words.tries}>
            <Tries webhook={data} />
          </Section>
        </>
      )}
    </Page>
  )
}

function FactsOf({ webhook: { url, events, active, waiting, lastHour, lastDay, createdAt } }: Readonly<{ webhook: WatchedWebhook }>) {
  const all = useWords()
  const { webhook: words, webhooks, tokens } = all
  return (
    <Facts
      items={[
        [
          webhooks.url,
          <bdi key="url" dir="ltr">
            {url}
          </bdi>,
        ],
        [webhooks.events, events.includes('*') ? webhooks.everyEvent : <bdi dir="ltr">{events.join(', ')}</bdi>],
        [webhooks.state, <Status key="state" word={active ? 'active' : 'paused'} />],
        [words.waiting, waiting.toLocaleString()],
        [words.lastHour, arrivedText(lastHour, all)],
        [words.lastDay, arrivedText(lastDay, all)],
        [tokens.created, <Time key="created" at={createdAt} />],
      ]}
    />
  )
}

function Actions({ webhook: { id, active } }: Readonly<{ webhook: WatchedWebhook }>) {
  const { webhook: words } = useWords()
  const [isAsked, { open, close }] = useDisclosure(false)
  const testing = useTestDelivery(id)
  const pausing = useMoveWebhook(id, 'pause')
  const resuming = useMoveWebhook(id, 'resume')
  return (
    <>
      <Button onClick={() => testing.mutate()} loading={testing.isPending} disabled={!active} {...(!active && { title: words.pausedHelp })}>
        {words.test}
      </Button>
      {active ? (
        <Button variant="default" onClick={open}>
          {words.pause}
        </Button>
      ) : (
        <Button variant="default" onClick={() => resuming.mutate()} loading={resuming.isPending}>
          {words.resume}
        </Button>
      )}
      {(testing.error ?? resuming.error) && <Problem error={testing.error ?? resuming.error ?? new Error()} />}
      <Confirm
        opened={isAsked}
        title={words.pauseTitle}
        verb={words.pause}
        pending={pausing.isPending}
        error={pausing.error}
        onConfirm={() => pausing.mutate(undefined, { onSuccess: close })}
        onClose={close}
      >
        {words.pauseHelp}
      </Confirm>
    </>
  )
}

const columnsIn = ({ webhook: words, webhooks }: Words): readonly Column<WebhookTry>[] => [
  { key: 'event', header: webhooks.events, cell: ({ event }) => <bdi dir="ltr">{event}</bdi> },
  { key: 'outcome', header: words.outcome, cell: ({ outcome }) => <Status word={outcome} /> },
  {
    key: 'answer',
    header: words.answer,
    cell: ({ status, error }) => (
      <bdi lang="en" dir="ltr">
        {status ?? error}
      </bdi>
    ),
  },
  { key: 'attempt', header: words.attempt, cell: ({ attempt }) => attempt, numeric: true },
  { key: 'took', header: words.took, cell: ({ durationMs }) => words.ms(durationMs), numeric: true },
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
]

function Tries({ webhook }: Readonly<{ webhook: WatchedWebhook }>) {
  const words = useWords()
  const slug = useSlug()
  return (
    <CursorRows pages={useTries(webhook)} empty={<Empty text={words.webhook.noTries} />}>
      {(rows) => (
        <DataTable
          label={words.webhook.tries}
          columns={columnsIn(words)}
          rows={rows}
          rowKey={({ deliveryId, at, attempt }) => `${deliveryId} ${attempt} ${at}`}
          rowLink={({ deliveryId }) => paths.webhookDelivery(slug, webhook.id, deliveryId)}
        />
      )}
    </CursorRows>
  )
}
