import { Button } from '@mantine/core'
import { useParams } from 'react-router'
import type { WebhookDelivery } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { Code } from '../../ui/code.tsx'
import { CopyId } from '../../ui/copy.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { curlOf } from './curl.ts'
import styles from './delivery.module.css'
import { useDeliverAgain, useDelivery, useSignedDelivery } from './webhook.api.ts'

/** One delivery: what became of it and why, every try, and what its receiver gets. */
export function Component() {
  const { webhook: words } = useWords()
  const { id = '', delivery = '' } = useParams()
  const slug = useSlug()
  const { data, error, refetch } = useDelivery(id, delivery)
  return (
    <Page
      title={words.delivery}
      back={{ to: paths.webhook(slug, id), text: words.toEndpoint }}
      {...(data && { aside: <CopyId id={data.id} />, actions: <Actions delivery={data} /> })}
    >
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data && <Shown delivery={data} />}
    </Page>
  )
}

type ShownDelivery = Readonly<{ delivery: WebhookDelivery }>

function Actions({ delivery: { id, endpointId, url, body } }: ShownDelivery) {
  const { webhook: words } = useWords()
  const again = useDeliverAgain(endpointId, id)
  const isGone = url === null || body === null
  return (
    <>
      <Button onClick={() => again.mutate()} loading={again.isPending} disabled={isGone} {...(isGone && { title: words.bodyGone })}>
        {words.again}
      </Button>
      {again.data && <span role="status">{words.askedStates[again.data.data.state]}</span>}
      {again.error && <Problem error={again.error} />}
    </>
  )
}

type Tried = WebhookDelivery['tries'][number]

const columnsIn = ({ webhook: words }: Words): readonly Column<Tried>[] => [
  { key: 'attempt', header: words.attempt, cell: ({ attempt }) => attempt, numeric: true },
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
  { key: 'took', header: words.took, cell: ({ durationMs }) => words.ms(durationMs), numeric: true },
  { key: 'at', header: words.at, cell: ({ at }) => <Time at={at} inTable /> },
]

function Shown({ delivery }: ShownDelivery) {
  const words = useWords()
  const { webhook, webhooks, ui } = words
  const { event, url, status, because, nextAt, tries, body, headers, facts } = delivery
  return (
    <>
      <Facts
        items={[
          [webhook.status, <Status key="status" word={status} />],
          [
            webhook.because,
            <bdi key="because" lang="en">
              {because ?? ui.none}
            </bdi>,
          ],
          [
            webhooks.events,
            <bdi key="event" dir="ltr">
              {event}
            </bdi>,
          ],
          [
            webhooks.url,
            <bdi key="url" dir="ltr">
              {url ?? ui.none}
            </bdi>,
          ],
          [webhook.nextAt, <Time key="next" at={nextAt} />],
        ]}
      />
      <Section title={webhook.tries}>
        {tries.length === 0 ? (
          <p>{webhook.notTried}</p>
        ) : (
          <DataTable label={webhook.tries} columns={columnsIn(words)} rows={tries} rowKey={({ attempt, at }) => `${attempt} ${at}`} />
        )}
      </Section>
      <Section title={webhook.content}>
        {body === null ? <p>{webhook.bodyGone}</p> : <Code text={body} label={webhook.body} />}
        <Code
          text={Object.entries(headers)
            .map(([name, value]) => `${name}: ${String(value)}`)
            .join('\n')}
          label={webhook.headers}
        />
        {body !== null && url !== null && <AsCurl delivery={delivery} />}
      </Section>
      <Section title={webhook.story}>
        <ol className={styles.facts}>
          {facts.map(({ at, position, type, says }) => (
            <li key={`${position} ${type} ${says}`}>
              <Time at={at} /> <bdi lang="en">{says}</bdi>
            </li>
          ))}
        </ol>
      </Section>
    </>
  )
}

function AsCurl({ delivery: { id, endpointId } }: ShownDelivery) {
  const { webhook: words } = useWords()
  const signing = useSignedDelivery(endpointId, id)
  const { data } = signing
  return (
    <>
      <Button variant="default" mt="sm" onClick={() => signing.mutate()} loading={signing.isPending}>
        {words.curl}
      </Button>
      {signing.error && <Problem error={signing.error} />}
      {data && (
        <>
          <Code text={curlOf(data)} label={words.curlLabel} />
          <p>
            {data.expiresAt === null ? (
              words.neverExpires
            ) : (
              <>
                {words.expires} <Time at={data.expiresAt} />
              </>
            )}
          </p>
        </>
      )}
    </>
  )
}
