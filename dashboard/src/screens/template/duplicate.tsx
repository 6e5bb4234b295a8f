import { type FormEvent, useState } from 'react'
import type { EditedTemplate } from '../../api/calls.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import type { Draft } from './draft.ts'
import { useDuplicate } from './template.api.ts'

type Props = Readonly<{ opened: boolean; template: EditedTemplate; draft: Draft; onClose: () => void; onDone: (id: string) => void }>

/** A name never changes: a template of another name is a copy. */
export function Duplicate({ opened, onClose, ...rest }: Props) {
  const { template: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.duplicate}>
      <DuplicateForm onClose={onClose} {...rest} />
    </FormDialog>
  )
}

function DuplicateForm({ template, draft, onClose, onDone }: Omit<Props, 'opened'>) {
  const { template: words, templates } = useWords()
  const [name, setName] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const copying = useDuplicate(onDone)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    copying.mutate({ name, template, draft, idempotencyKey }, { onError })
  }
  return (
    <form onSubmit={submit}>
      <NameField
        label={templates.name}
        value={name}
        onChange={(value) => {
          setName(value)
          renew()
        }}
      />
      {copying.error && <Problem error={copying.error} />}
      <FormButtons verb={words.duplicate} pending={copying.isPending} disabled={name.trim() === ''} onClose={onClose} />
    </form>
  )
}
