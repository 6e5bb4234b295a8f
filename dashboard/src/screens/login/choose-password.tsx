import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from 'react-router'
import { sessionQuery } from '../../app/session.ts'
import { kept } from '../../kept.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { PasswordForm, useAccount } from '../../ui/password-form.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './login.module.css'

/** Whether the user said *later* in this browser when asked for a password. */
const laterPlace = (userId: string): string => `tidings-password-later-${userId}`

/** After a link: a user without a password chooses one, or later, and is asked no second time in this browser. */
export function Component() {
  const { me: words } = useWords()
  const { data: session } = useQuery(sessionQuery)
  const { data: account, error, refetch } = useAccount()
  const navigate = useNavigate()
  const leave = (): void => void navigate(paths.home(), { replace: true })
  const userId = session?.user.id
  if (account?.hasPassword || (userId !== undefined && kept.read(laterPlace(userId)) !== null))
    return <Navigate to={paths.home()} replace />
  const later = (): void => {
    if (userId !== undefined) kept.write(laterPlace(userId), 'later')
    leave()
  }
  const laterButton = (
    <Button variant="default" onClick={later}>
      {words.later}
    </Button>
  )
  return (
    <main className={styles.alone} id="content">
      <Page title={words.chooseTitle}>
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {error && laterButton}
        {account === undefined && !error && <Loading />}
        {account && (
          <>
            <p className={styles.help}>{words.chooseHelp}</p>
            <PasswordForm wantsCurrent={account.wantsCurrent} verb={words.choose} onDone={leave}>
              {laterButton}
            </PasswordForm>
          </>
        )}
      </Page>
    </main>
  )
}
