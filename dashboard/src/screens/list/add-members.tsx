import { Button, Group, Modal, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { newKey } from '../../api/client.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { addressesIn, MOST_ADDRESSES } from './addresses.ts'
import { useAddMembers } from './list.api.ts'

type Props = Readonly<{ id: string; opened: boolean; onClose: () => void; onAdded: (count: number) => void }>

export function AddMembers({ opened, onClose, ...rest }: Props) {
  const { lists: words, app } = useWords()
  return (
    <Modal opened={opened} onClose={onClose} title={words.add} closeButtonProps={{ 'aria-label': app.close }}>
      <MembersForm onClose={onClose} {...rest} />
    </Modal>
  )
}

function MembersForm({ id, onClose, onAdded }: Omit<Props, 'opened'>) {
  const { lists: words, ui } = useWords()
  const [text, setText] = useState('')
  const [idempotencyKey, setKey] = useState(newKey)
  const adding = useAddMembers(id, onAdded)
  const emails = addressesIn(text)
  const isRight = emails.length > 0 && emails.length <= MOST_ADDRESSES
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isRight) adding.mutate({ emails, idempotencyKey })
  }
  return (
    <form onSubmit={submit}>
      <Textarea
        label={words.addresses}
        description={words.addressesHelp}
        dir="ltr"
        rows={6}
        value={text}
        data-autofocus
        onChange={(event) => {
          setText(event.currentTarget.value)
          setKey(newKey())
        }}
      />
      {adding.error && <Problem error={adding.error} />}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {ui.cancel}
        </Button>
        <Button type="submit" loading={adding.isPending} disabled={!isRight}>
          {words.add}
        </Button>
      </Group>
    </form>
  )
}
