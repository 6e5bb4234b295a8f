import { Button, Group, PasswordInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Account } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useWords } from '../words/words.tsx'
import styles from './password-form.module.css'
import { Problem } from './problem.tsx'

/** How the user signs in, and where they are signed in. */
export function useAccount() {
  return useQuery({ queryKey: keys.account, queryFn: ({ signal }) => client.read<Account>('/dashboard/account', signal) })
}

type NewPassword = Readonly<{ password: string; current?: string }>

type Props = Readonly<{ wantsCurrent: boolean; verb: string; onDone: () => void; children?: ReactNode }>

/** A new password. The answer brings the cookie of the session that goes on. `children`: what may be done instead. */
export function PasswordForm({ wantsCurrent, verb, onDone, children }: Props) {
  const { me: words } = useWords()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const changing = useMutation({
    mutationFn: (body: NewPassword) => client.write<null>('/dashboard/account/password', { body }),
    onSuccess: async () => {
      setCurrent('')
      setPassword('')
      onDone()
      await queries.invalidateQueries({ queryKey: keys.account })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    changing.mutate({ password, ...(wantsCurrent && { current }) })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      {wantsCurrent && (
        <PasswordInput
          label={words.current}
          autoComplete="current-password"
          required
          maxLength={1_024}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-hidden': true }}
        />
      )}
      <PasswordInput
        label={words.password}
        description={words.passwordHelp}
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={1_024}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-hidden': true }}
      />
      {changing.error && <Problem error={changing.error} />}
      <Group>
        <Button type="submit" loading={changing.isPending}>
          {verb}
        </Button>
        {children}
      </Group>
      <p role="status" className={styles.status}>
        {changing.isSuccess && password === '' ? words.changed : ''}
      </p>
    </form>
  )
}
