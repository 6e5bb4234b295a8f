import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { signInByLink } from './login.api.ts'
import styles from './login.module.css'

/** Takes the token out of the address, and the address out of the history: neither a bookmark nor the next page has it. */
function takeToken(): string {
  const token = location.hash.slice(1)
  if (token !== '') history.replaceState(history.state, '', location.pathname)
  return token
}

/** A link of a mail waits for a press: what opens the links of mails before people do must not use it up. */
const isMailed = (): boolean => location.search === '?mailed'

/** Signs in by the token behind `#`, which no server and no proxy sees. */
export function Component() {
  const { link: words } = useWords()
  const [waits, setWaits] = useState(isMailed)
  const [token] = useState(takeToken)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { mutate, error } = useMutation({
    mutationFn: signInByLink,
    onSuccess: ({ data }) => {
      client.forget()
      queries.clear()
      queries.setQueryData(keys.session, data)
      // A user of the installation acts on no workspace here, and so has no page of their own.
      void navigate(data.workspace === null ? paths.home() : paths.choosePassword(), { replace: true })
    },
  })
  useEffect(() => {
    if (token !== '' && !waits) mutate(token)
  }, [token, waits, mutate])
  const hasFailed = token === '' || error !== null
  return (
    <main className={styles.alone} id="content">
      <Page title={hasFailed ? words.failed : waits ? words.ready : words.title}>
        {!hasFailed && !waits && <Loading />}
        {!hasFailed && waits && (
          <>
            <p className={styles.help}>{words.readyHelp}</p>
            <Button onClick={() => setWaits(false)}>{words.press}</Button>
          </>
        )}
        {error && <Problem error={error} />}
        {hasFailed && (
          <>
            <p className={styles.help}>{token === '' ? words.none : words.failedHelp}</p>
            <Link to={paths.login()}>{words.toLogin}</Link>
          </>
        )}
      </Page>
    </main>
  )
}
