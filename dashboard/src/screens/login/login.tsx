import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiProblem, client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { safeBack } from '../../paths.ts'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { signIn } from './login.api.ts'
import styles from './login.module.css'

/** Address and password; the workspace only where the address is a user of several. */
export function Component() {
  const { login: words } = useWords()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [workspace, setWorkspace] = useState('')
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const asking = useMutation({
    mutationFn: signIn,
    onSuccess: ({ data }) => {
      client.forget()
      queries.clear()
      queries.setQueryData(keys.session, data)
      void navigate(safeBack(search.get('back')), { replace: true })
    },
  })
  const isAmbiguous = asking.error instanceof ApiProblem && asking.error.status === 400
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    asking.mutate({ email, password, ...(workspace !== '' && { workspace }) })
  }
  return (
    <main className={styles.alone} id="content">
      <Page title={words.title}>
        <form onSubmit={submit} className={styles.form}>
          <TextInput
            label={words.email}
            type="email"
            dir="ltr"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={words.password}
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-hidden': true }}
          />
          {(isAmbiguous || workspace !== '') && (
            <TextInput
              label={words.workspace}
              description={words.workspaceHelp}
              dir="ltr"
              value={workspace}
              onChange={(event) => setWorkspace(event.currentTarget.value)}
            />
          )}
          {asking.error && <Problem error={asking.error} />}
          <Button type="submit" loading={asking.isPending} fullWidth>
            {words.submit}
          </Button>
        </form>
        <p className={styles.help}>{words.linkHelp}</p>
      </Page>
    </main>
  )
}
