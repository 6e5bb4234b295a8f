import { NumberInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Credits } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useWords } from '../words/words.tsx'
import { FormButtons, FormDialog } from './form-dialog.tsx'
import { Problem } from './problem.tsx'
import { useSubmitKey } from './use-submit-key.ts'

/** `workspace`: the slug, on a page that is of none. */
type Props = Readonly<{ opened: boolean; workspace?: string | undefined; onClose: () => void }>

type NewCredits = Readonly<{ amount: number; note: string; idempotencyKey: string }>

function useAddCredits({ workspace, onClose }: Omit<Props, 'opened'>, onError: (error: Error) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ amount, note, idempotencyKey }: NewCredits) =>
      client.write<Credits>('/dashboard/credits', { body: { amount, ...(note !== '' && { note }) }, idempotencyKey, workspace }),
    onSuccess: async () => {
      await Promise.all([keys.credits, keys.overview, keys.system].map((queryKey) => queries.invalidateQueries({ queryKey })))
      onClose()
    },
    onError,
  })
}

export function AddCredits({ opened, workspace, onClose }: Props) {
  const { credits: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={workspace === undefined ? words.add : `${words.add}: ${workspace}`}>
      <CreditsForm workspace={workspace} onClose={onClose} />
    </FormDialog>
  )
}

function CreditsForm({ workspace, onClose }: Omit<Props, 'opened'>) {
  const { credits: words } = useWords()
  const [amount, setAmount] = useState<number | null>(null)
  const [note, setNote] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const adding = useAddCredits({ workspace, onClose }, onError)
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
