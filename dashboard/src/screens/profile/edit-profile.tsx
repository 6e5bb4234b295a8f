import { Textarea, TextInput, type TextInputProps } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Profile } from '../../api/calls.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { changedFields, type Fields, fieldsOf, lineNames } from './changed-fields.ts'
import { useUpdate } from './profile.api.ts'
import styles from './profile.module.css'

type Props = Readonly<{ opened: boolean; profile: Profile; onClose: () => void; onSaved: (isShown: boolean) => void }>

export function EditProfile({ opened, onClose, ...rest }: Props) {
  const { profile: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.editTitle}>
      <EditForm onClose={onClose} {...rest} />
    </FormDialog>
  )
}

/** How each is typed in. */
const INPUTS: Readonly<Record<Exclude<keyof Fields, 'tags' | 'notes'>, TextInputProps>> = {
  firstName: { maxLength: 128 },
  lastName: { maxLength: 128 },
  email: { type: 'email', dir: 'ltr' },
  phone: { type: 'tel', dir: 'ltr' },
  locale: { dir: 'ltr', maxLength: 10 },
  timezone: { dir: 'ltr', maxLength: 64, placeholder: 'Asia/Jerusalem' },
}
const FIRST = ['firstName', 'lastName', 'email', 'phone'] as const
const ORDER = [...FIRST, ...lineNames.filter((name) => !FIRST.some((first) => first === name))]

function EditForm({ profile, onClose, onSaved }: Omit<Props, 'opened'>) {
  const words = useWords()
  const labels = { ...words.profile.fields, email: words.profiles.email, phone: words.profiles.phone }
  const [fields, setFields] = useState<Fields>(() => fieldsOf(profile))
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const saving = useUpdate(profile.id, onSaved)
  const body = changedFields(profile, fields)
  const isSame = Object.keys(body).length === 0
  const field = (name: keyof Fields, label: string) => ({
    label,
    value: fields[name],
    onChange: (event: Readonly<{ currentTarget: Readonly<{ value: string }> }>) => {
      setFields({ ...fields, [name]: event.currentTarget.value })
      renew()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isSame) saving.mutate({ body, idempotencyKey }, { onError })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      {ORDER.map((name) => (
        <TextInput key={name} {...field(name, labels[name])} {...INPUTS[name]} data-autofocus={name === 'firstName' || undefined} />
      ))}
      <TextInput {...field('tags', labels.tags)} description={words.profile.tagsHelp} />
      <Textarea {...field('notes', labels.notes)} maxLength={4_000} rows={3} />
      {saving.error && <Problem error={saving.error} />}
      <FormButtons verb={words.ui.save} pending={saving.isPending} disabled={isSame} onClose={onClose} />
    </form>
  )
}
