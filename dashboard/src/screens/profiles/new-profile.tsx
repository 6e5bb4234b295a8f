import { NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useSlug } from '../../app/session.ts'
import { paths } from '../../paths.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useLead } from '../../ui/use-lead.ts'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import styles from './new-profile.module.css'
import { useCreateProfile } from './profiles.api.ts'

const EMPTY = { email: '', phone: '', firstName: '', lastName: '' }
/** What a person can have said; `cleaned` is what a provider reports. */
const SAID = ['never_subscribed', 'subscribed', 'unsubscribed'] as const
type SaidConsent = (typeof SAID)[number]

const isSaid = (text: string): text is SaidConsent => SAID.some((one) => one === text)

export function NewProfile({ opened, onClose }: Readonly<{ opened: boolean; onClose: () => void }>) {
  const { profiles: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.newProfile}>
      <ProfileForm onClose={onClose} />
    </FormDialog>
  )
}

function ProfileForm({ onClose }: Readonly<{ onClose: () => void }>) {
  const words = useWords()
  const slug = useSlug()
  const lead = useLead()
  const [fields, setFields] = useState(EMPTY)
  const [consent, setConsent] = useState<SaidConsent>('never_subscribed')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const [isAsked, setAsked] = useState(false)
  const creating = useCreateProfile(({ id }) => {
    lead(paths.profile(slug, id))
    onClose()
  })
  const change = (name: keyof typeof EMPTY, value: string): void => {
    setFields({ ...fields, [name]: value })
    // What is sent after a change is another request.
    renew()
  }
  const isMissing = fields.email.trim() === '' && fields.phone.trim() === ''
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setAsked(true)
    if (isMissing) return
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''))
    const body = { ...given, ...(consent !== 'never_subscribed' && { emailConsent: consent }) }
    creating.mutate({ body, idempotencyKey }, { onError })
  }
  const field = (name: keyof typeof EMPTY, label: string) => ({
    label,
    value: fields[name],
    onChange: (event: Readonly<{ currentTarget: Readonly<{ value: string }> }>) => change(name, event.currentTarget.value),
  })
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        {...field('email', words.profiles.email)}
        type="email"
        dir="ltr"
        data-autofocus
        error={isAsked && isMissing && words.profiles.contactNeeded}
      />
      <TextInput {...field('phone', words.profiles.phone)} type="tel" dir="ltr" placeholder="+972501234567" />
      <TextInput {...field('firstName', words.profile.fields.firstName)} maxLength={128} />
      <TextInput {...field('lastName', words.profile.fields.lastName)} maxLength={128} />
      <NativeSelect
        label={words.profiles.emailConsent}
        value={consent}
        data={[...SAID]}
        onChange={({ currentTarget: { value } }) => {
          if (isSaid(value)) setConsent(value)
          renew()
        }}
      />
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={words.profiles.create} pending={creating.isPending} onClose={onClose} />
    </form>
  )
}
