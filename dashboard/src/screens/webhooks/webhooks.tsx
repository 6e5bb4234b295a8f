import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { WebhookEndpoint } from '../../api/calls.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { useDeleteWebhook, useWebhooks } from './webhooks.api.ts'
import styles from './webhooks.module.css'

const columnsIn = ({ webhooks: words, tokens }: Words, onRemove: (row: WebhookEndpoint) => void): readonly Column<WebhookEndpoint>[] => [
  {
    key: 'endpoint',
    header: words.endpoint,
    cell: ({ label, url }) => (
      <span className={styles.endpoint}>
        {label !== null && <bdi className={styles.label}>{label}</bdi>}
        <bdi dir="ltr">{url}</bdi>
      </span>
    ),
  },
  {
    key: 'events',
    header: words.events,
    cell: ({ events }) => (events.includes('*') ? words.everyEvent : <bdi dir="ltr">{events.join(', ')}</bdi>),
  },
  { key: 'state', header: words.state, cell: ({ active }) => <Status word={active ? 'active' : 'paused'} /> },
  { key: 'created', header: tokens.created, cell: ({ createdAt }) => <Time at={createdAt} inTable /> },
  {
    key: 'remove',
    header: words.remove,
    cell: (row) => (
      <Button variant="default" size="compact-xs" onClick={() => onRemove(row)} aria-label={`${words.remove}: ${row.label ?? row.url}`}>
        {words.remove}
      </Button>
    ),
  },
]

export function Component() {
  const words = useWords()
  const { webhooks } = words
  const [isNew, { open, close }] = useDisclosure(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [removed, setRemoved] = useState<WebhookEndpoint | null>(null)
  const { data, error, refetch } = useWebhooks()
  const removing = useDeleteWebhook(() => setRemoved(null))
  return (
    <Page title={webhooks.title} actions={<Button onClick={open}>{webhooks.add}</Button>}>
      <NewWebhook opened={isNew} onClose={close} onCreated={setSecret} />
      <SecretOnce
        secret={secret}
        title={webhooks.secretTitle}
        help={webhooks.secretHelp}
        done={webhooks.done}
        onDone={() => setSecret(null)}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.length === 0 && <Empty text={webhooks.empty} action={<Button onClick={open}>{webhooks.add}</Button>} />}
      {data && data.length > 0 && (
        <DataTable label={webhooks.title} columns={columnsIn(words, setRemoved)} rows={data} rowKey={({ id }) => id} />
      )}
      <Confirm
        opened={removed !== null}
        title={webhooks.removeTitle}
        verb={webhooks.remove}
        pending={removing.isPending}
        error={removing.error}
        onConfirm={() => removed && removing.mutate(removed.id)}
        onClose={() => setRemoved(null)}
      >
        <bdi dir="ltr">{removed?.url}</bdi> {webhooks.removeHelp}
      </Confirm>
    </Page>
  )
}
