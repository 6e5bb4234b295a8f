import { useQuery } from '@tanstack/react-query'
import { Navigate } from 'react-router'
import { ApiProblem } from '../api/client.ts'
import { paths } from '../paths.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import styles from './error-pages.module.css'
import { sessionQuery } from './session.ts'

/** `/dashboard` leads to the workspace of the session, and an operator of the installation to what all of it does. */
export function Home() {
  const { data, error, refetch } = useQuery(sessionQuery)
  if (error instanceof ApiProblem && error.status === 401) return <Navigate to={paths.login()} replace />
  if (data?.workspace) return <Navigate to={paths.overview(data.workspace.slug)} replace />
  if (data?.operator) return <Navigate to={paths.system()} replace />
  return (
    <main className={styles.alone} id="content">
      <Page title="Tidings">{error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />}</Page>
    </main>
  )
}
