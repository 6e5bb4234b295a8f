import { Button } from '@mantine/core'
import { useState } from 'react'
import type { ConnectorWithSecret, ShownConnectors } from '../../api/calls.ts'
import { useSlug } from '../../app/session.ts'
import { Code } from '../../ui/code.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Section } from '../../ui/section.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { useConnectors, useCreateConnector, useRenewSecret } from './connectors.api.ts'

type Connector = ShownConnectors['items'][number]

const columnsIn = ({ connectors: words }: Words, onRenew: (connector: Connector) => void): readonly Column<Connector>[] => [
  { key: 'name', header: words.name, cell: ({ name }) => <bdi>{name}</bdi> },
  {
    key: 'acts',
    header: words.acts,
    cell: (connector) => (
      <Button variant="default" size="compact-xs" onClick={() => onRenew(connector)} aria-label={words.renewOf(connector.name)}>
        {words.renew}
      </Button>
    ),
  },
]

const callOf = (address: string, slug: string): string => `curl ${address} \\
  -H 'X-Sender-Tenant: ${slug}' -H "X-Connector-Secret: $SECRET" -H 'Content-Type: application/json' \\
  -d '{ "event": "order.completed", "email": "ada@example.com", "data": { "orderId": "7", "amount": 12.5 } }'`

/** What reports the events of shops: made, its secret shown once, replaced. */
export function Component() {
  const all = useWords()
  const { connectors: words } = all
  const slug = useSlug()
  const [isNew, setNew] = useState(false)
  const [renewed, setRenewed] = useState<Connector | null>(null)
  const [shown, setShown] = useState<ConnectorWithSecret | null>(null)
  const { data, error, refetch } = useConnectors()
  const renewing = useRenewSecret((made) => {
    setRenewed(null)
    setShown(made)
  })
  const add = <Button onClick={() => setNew(true)}>{words.add}</Button>
  return (
    <Page title={words.title} actions={add}>
      <FormDialog opened={isNew} onClose={() => setNew(false)} title={words.add}>
        <NewConnector onClose={() => setNew(false)} onCreated={setShown} />
      </FormDialog>
      <SecretOnce
        secret={shown?.secret ?? null}
        title={words.secretTitle}
        help={words.secretHelp}
        done={words.done}
        onDone={() => setShown(null)}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data?.items.length === 0 && <Empty text={words.empty} action={add} />}
      {data && data.items.length > 0 && (
        <>
          <p>{words.help}</p>
          <DataTable label={words.title} columns={columnsIn(all, setRenewed)} rows={data.items} rowKey={({ id }) => id} />
        </>
      )}
      {data && (
        <Section title={words.usage}>
          <Code text={data.address} label={words.address} />
          <Code text={callOf(data.address, slug)} label={words.call} />
        </Section>
      )}
      <Confirm
        opened={renewed !== null}
        title={words.renewTitle}
        verb={words.renew}
        pending={renewing.isPending}
        error={renewing.error}
        onConfirm={() => renewed && renewing.mutate(renewed)}
        onClose={() => {
          renewing.reset()
          setRenewed(null)
        }}
      >
        <bdi>{renewed?.name}</bdi>. {words.renewHelp}
      </Confirm>
    </Page>
  )
}

type NewProps = Readonly<{ onClose: () => void; onCreated: (created: ConnectorWithSecret) => void }>

function NewConnector({ onClose, onCreated }: NewProps) {
  const { connectors: words } = useWords()
  const creating = useCreateConnector((created) => {
    onClose()
    onCreated(created)
  })
  return (
    <NewRecordForm
      name={{ label: words.name, help: words.nameHelp, maxLength: 255 }}
      first={null}
      verb={words.create}
      creating={creating}
      onCreate={({ name, idempotencyKey }, options) => creating.mutate({ name, idempotencyKey }, options)}
      onClose={onClose}
    />
  )
}
