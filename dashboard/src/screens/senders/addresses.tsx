import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import type { SenderAddressStatus } from '../../api/calls.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { AddressForm } from './sender-forms.tsx'
import { useAskMailbox } from './senders.api.ts'

const newsOf = ({ status, reason, confirmBy, mailSent }: SenderAddressStatus, { ui, senders: words }: Words): ReactNode => {
  if (status === 'failed' && reason !== null) return words.failures[reason]
  if (status !== 'pending') return ui.none
  if (confirmBy === null) return words.notAsked
  return (
    <span>
      {words.confirmBy} <Time at={confirmBy} inTable />
      {!mailSent && ` ${words.mailWaits}`}
    </span>
  )
}

const columnsIn = (all: Words, onAsk: (id: string) => void): readonly Column<SenderAddressStatus>[] => {
  const { senders: words } = all
  return [
    { key: 'email', header: words.email, cell: ({ email }) => <bdi dir="ltr">{email}</bdi> },
    { key: 'name', header: words.name, cell: ({ name }) => <bdi>{name ?? all.ui.none}</bdi> },
    { key: 'status', header: words.status, cell: ({ status }) => <Status word={status} /> },
    { key: 'news', header: words.news, cell: (address) => newsOf(address, all) },
    {
      key: 'ask',
      header: words.ask,
      cell: ({ id, email, status }) =>
        status === 'verified' ? (
          all.ui.none
        ) : (
          <Button variant="default" size="compact-xs" onClick={() => onAsk(id)} aria-label={`${words.ask}: ${email}`}>
            {words.ask}
          </Button>
        ),
    },
  ]
}

/** The addresses that mail is sent from; each mailbox confirms by itself. */
export function Addresses({ addresses }: Readonly<{ addresses: readonly SenderAddressStatus[] }>) {
  const all = useWords()
  const { senders: words } = all
  const [isNew, { open, close }] = useDisclosure(false)
  const asking = useAskMailbox()
  return (
    <Section title={words.addresses}>
      <FormDialog opened={isNew} onClose={close} title={words.addAddress}>
        <AddressForm onClose={close} />
      </FormDialog>
      {asking.error && <Problem error={asking.error} />}
      {addresses.length > 0 && (
        <DataTable label={words.addresses} columns={columnsIn(all, asking.mutate)} rows={addresses} rowKey={({ id }) => id} />
      )}
      <Button variant="default" onClick={open}>
        {words.addAddress}
      </Button>
    </Section>
  )
}
