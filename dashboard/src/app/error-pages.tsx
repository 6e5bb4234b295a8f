import { Button } from '@mantine/core'
import { Link, useRouteError } from 'react-router'
import { paths } from '../paths.ts'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { useWords } from '../words/words.tsx'
import styles from './error-pages.module.css'

/** Inside the shell, which has the landmarks. */
export function Missing() {
  const { app } = useWords()
  return (
    <Page title={app.notFound}>
      <p>{app.notFoundHelp}</p>
      <p>
        <Link to={paths.home()}>{app.toStart}</Link>
      </p>
    </Page>
  )
}

export function NotFound() {
  return (
    <main className={styles.alone} id="content">
      <Missing />
    </main>
  )
}

/** A fault of the page itself: it is shown, and the page can be loaded again. */
export function Crashed() {
  const { app } = useWords()
  const error = useRouteError()
  return (
    <main className={styles.alone} id="content">
      <Page title={app.crashed} actions={<Button onClick={() => location.reload()}>{app.reload}</Button>}>
        <Problem error={error instanceof Error ? error : new Error(String(error))} />
      </Page>
    </main>
  )
}
