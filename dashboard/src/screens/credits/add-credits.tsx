import { NumberInput, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { useAddCredits } from './credits.api.ts'

type Props = Readonly<{ opened: boolean; onClose: () => void }>

export function AddCredits({ opened, onClose }: Props) {
  const { credits: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.add}>
      <CreditsForm onClose={onClose} />
    </FormDialog>
  )
}

function CreditsForm({ onClose }: Pick<Props, 'onClose'>) {
  const { credits: words } = useWords()
  const [amount, setAmount] = useState<number | null>(null)
  const [note, setNote] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const adding = useAddCredits(onClose, onError)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (amount !== null) adding.mutate({ amount, note: note.trim(), idempotencyKey })
  }
  return (
    <form onSubmit={submit}>
      <NumberInput
        label={words.amount}
        required
        min={1}
        max={1_000_000_000_000}
        allowDecimal={false}
        data-autofocus
        value={amount ?? ''}
        onChange={(value) => {
          setAmount(typeof value === 'number' ? value : null)
          renew()
        }}
      />
      <TextInput
        label={words.note}
        description={words.noteHelp}
        dir="auto"
        maxLength={255}
        value={note}
        onChange={(event) => {
          setNote(event.currentTarget.value)
          renew()
        }}
      />
      {adding.error && <Problem error={adding.error} />}
      <FormButtons verb={words.addVerb} pending={adding.isPending} disabled={amount === null} onClose={onClose} />
    </form>
  )
}
