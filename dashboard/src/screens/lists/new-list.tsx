import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { EditedList } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'

type Props = Readonly<{ opened: boolean; onClose: () => void; onDone: (id: string) => void }>

/** A list whose members are added one by one. */
export function NewList({ opened, onClose, onDone }: Props) {
  const { lists: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.newTitle}>
      <ListForm onClose={onClose} onDone={onDone} />
    </FormDialog>
  )
}

function ListForm({ onClose, onDone }: Omit<Props, 'opened'>) {
  const { lists: words, rules } = useWords()
  const [name, setName] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const queries = useQueryClient()
  const creating = useMutation({
    mutationFn: () => client.write<EditedList>('/dashboard/lists', { body: { name, type: 'static' }, idempotencyKey }),
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.lists })
      onDone(data.id)
    },
    onError,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    creating.mutate()
  }
  return (
    <form onSubmit={submit}>
      <NameField
        label={words.name}
        description={rules.nameHelp}
        value={name}
        onChange={(value) => {
          setName(value)
          renew()
        }}
      />
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={rules.create} pending={creating.isPending} disabled={name.trim() === ''} onClose={onClose} />
    </form>
  )
}
