import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import type { WatchedWebhook } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { arrivedText } from '../../ui/arrived.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Status } from '../../ui/status.tsx'
import { useLead } from '../../ui/use-lead.ts'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { NewWebhook } from './new-webhook.tsx'
import { type CreatedWebhook, useDeleteWebhook, useFirstTest, useWebhooks } from './webhooks.api.ts'
import styles from './webhooks.module.css'

const columnsIn = (all: Words, onRemove: (row: WatchedWebhook) => void): readonly Column<WatchedWebhook>[] => {
  const { webhooks: words, webhook } = all
  return [
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
    { key: 'hour', header: webhook.lastHour, cell: ({ lastHour }) => arrivedText(lastHour, all) },
    { key: 'day', header: webhook.lastDay, cell: ({ lastDay }) => arrivedText(lastDay, all) },
    { key: 'waiting', header: webhook.waiting, cell: ({ waiting }) => waiting.toLocaleString(), numeric: true },
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
}

export function Component() {
  const words = useWords()
  const { webhooks } = words
  const [isNew, { open, close }] = useDisclosure(false)
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  const [removed, setRemoved] = useState<WatchedWebhook | null>(null)
  const slug = useSlug()
  const lead = useLead()
  const testing = useFirstTest((id) => lead(paths.webhook(slug, id)))
  const { data, error, refetch } = useWebhooks()
  const removing = useDeleteWebhook(() => setRemoved(null))
  return (
    <Page title={webhooks.title} actions={<Button onClick={open}>{webhooks.add}</Button>}>
      <NewWebhook opened={isNew} onClose={close} onCreated={setCreated} />
      <SecretOnce
        secret={created?.secret ?? null}
        title={webhooks.secretTitle}
        help={webhooks.secretHelp}
        done={webhooks.done}
        onDone={() => setCreated(null)}
        next={{ text: words.webhook.keptAndTest, pending: testing.isPending, onPress: () => created && testing.mutate(created.id) }}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.length === 0 && <Empty text={webhooks.empty} action={<Button onClick={open}>{webhooks.add}</Button>} />}
      {data && data.length > 0 && (
        <DataTable
          label={webhooks.title}
          columns={columnsIn(words, setRemoved)}
          rows={data}
          rowKey={({ id }) => id}
          rowLink={({ id }) => paths.webhook(slug, id)}
        />
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
