import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { useWords } from '../words/words.tsx'
import styles from './error-pages.module.css'
import { Frame } from './frame.tsx'
import { useSystemEntries } from './navigation.tsx'
import { sessionQuery } from './session.ts'

/** The pages of the installation, which are its operators'. */
export function SystemShell() {
  const { nav } = useWords()
  const { data: session, error, refetch } = useQuery(sessionQuery)
  const entries = useSystemEntries(session)
  if (session === undefined && error) return <Problem error={error} onRetry={() => void refetch()} />
  if (session === undefined) return <Loading />
  if (!session.operator) return <ForOperators />
  return <Frame session={session} name={nav.system} home={paths.system()} entries={entries} />
}

function ForOperators() {
  const { app, nav } = useWords()
  return (
    <main className={styles.alone} id="content">
      <Page title={nav.system}>
        <p>{app.forOperators}</p>
        <p>
          <Link to={paths.home()}>{app.toStart}</Link>
        </p>
      </Page>
    </main>
  )
}
