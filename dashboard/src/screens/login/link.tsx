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

const tokenInAddress = (): string => location.hash.slice(1)

/** A link of a mail waits for a press: what opens the links of mails before people do must not use it up. Gateways add parameters of their own. */
const isMailed = (): boolean => new URLSearchParams(location.search).has('mailed')

/** Signs in by the token behind `#`, which no server and no proxy sees. */
export function Component() {
  const { link: words } = useWords()
  const [waits, setWaits] = useState(isMailed)
  const [token] = useState(tokenInAddress)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { mutate, error } = useMutation({
    mutationFn: signInByLink,
    onSuccess: ({ data }) => {
      client.forget()
      queries.clear()
      queries.setQueryData(keys.session, data)
      void navigate(paths.choosePassword(), { replace: true })
    },
  })
  useEffect(() => {
    if (token === '' || waits) return
    // Neither a bookmark nor the next page has a token that is used; a page that waits for its press can be loaded again.
    history.replaceState(history.state, '', location.pathname)
    mutate(token)
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
