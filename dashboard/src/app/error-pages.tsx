import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useRouteError } from 'react-router'
import { isTemporary } from '../api/polling.ts'
import { paths } from '../paths.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Problem } from '../ui/problem.tsx'
import { useWords } from '../words/words.tsx'
import styles from './error-pages.module.css'
import { isMissingPart, noteLoadedAnew, wasLoadedAnew } from './missing-part.ts'
import { answersQuery } from './session.ts'

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

/** A screen that could not be shown, outside the shell or in it. */
export function Crashed() {
  return (
    <main className={styles.alone} id="content">
      <CrashedScreen />
    </main>
  )
}

/** A fault of the page itself is shown, and the page can be loaded again. A part of it that is missing is loaded as soon as the service answers. */
export function CrashedScreen() {
  const { app } = useWords()
  const error = useRouteError()
  const [isGone] = useState(() => wasLoadedAnew(sessionStorage, location.pathname + location.search, Date.now()))
  if (isMissingPart(error) && !isGone) return <MissingPart />
  return (
    <Page title={app.crashed} actions={<Button onClick={() => location.reload()}>{app.reload}</Button>}>
      <Problem error={error instanceof Error ? error : new Error(String(error))} />
    </Page>
  )
}

/** Asks until the service answers, and loads the screen anew then: what stands behind `#`, as the token of a link does, stays. */
function MissingPart() {
  const { app } = useWords()
  const { error, isSuccess, refetch } = useQuery(answersQuery)
  const isAnswered = isSuccess || (error !== null && !isTemporary(error))
  useEffect(() => {
    if (!isAnswered) return
    noteLoadedAnew(sessionStorage, location.pathname + location.search, Date.now())
    location.reload()
  }, [isAnswered])
  if (error === null || isAnswered) return <Loading />
  return (
    <Page title={app.crashed}>
      <Problem error={error} onRetry={() => void refetch()} />
    </Page>
  )
}
