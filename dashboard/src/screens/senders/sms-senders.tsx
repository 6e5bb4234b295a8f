import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { SmsSenderStatus } from '../../api/calls.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import type { Words } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { SmsSenderForm } from './sender-forms.tsx'

const columnsIn = ({ ui, senders: words }: Words): readonly Column<SmsSenderStatus>[] => [
  { key: 'id', header: words.smsId, cell: ({ id }) => <bdi dir="ltr">{id}</bdi> },
  { key: 'status', header: words.status, cell: ({ status }) => <Status word={status} /> },
  { key: 'reason', header: words.reason, cell: ({ reason }) => <bdi>{reason ?? ui.none}</bdi> },
  { key: 'number', header: words.number, cell: ({ number }) => <bdi dir="ltr">{number ?? ui.none}</bdi> },
]

/** The names that texts are sent under; the operator decides on each. */
export function SmsSenders({ senders }: Readonly<{ senders: readonly SmsSenderStatus[] }>) {
  const all = useWords()
  const { senders: words } = all
  const [isNew, { open, close }] = useDisclosure(false)
  return (
    <Section title={words.smsSenders}>
      <FormDialog opened={isNew} onClose={close} title={words.askForSms}>
        <SmsSenderForm onClose={close} />
      </FormDialog>
      {senders.length > 0 && <DataTable label={words.smsSenders} columns={columnsIn(all)} rows={senders} rowKey={({ id }) => id} />}
      <Button variant="default" onClick={open}>
        {words.askForSms}
      </Button>
    </Section>
  )
}
