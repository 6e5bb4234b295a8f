import { useEffect, useState } from 'react'
import { Outlet } from 'react-router'
import { useWords } from '../words/words.tsx'
import { useLateReads } from './late-reads.ts'
import styles from './root.module.css'
import { RouteAnnouncer } from './route-announcer.tsx'

/** What every page has. */
export function Root() {
  return (
    <>
      <Offline />
      <LateReads />
      <Outlet />
      <RouteAnnouncer />
    </>
  )
}

function Offline() {
  const { app } = useWords()
  const [isOffline, setOffline] = useState(!navigator.onLine)
  useEffect(() => {
    const note = (): void => setOffline(!navigator.onLine)
    window.addEventListener('online', note)
    window.addEventListener('offline', note)
    return () => {
      window.removeEventListener('online', note)
      window.removeEventListener('offline', note)
    }
  }, [])
  if (!isOffline) return null
  return (
    <div role="status" className={styles.offline}>
      {app.offline}
    </div>
  )
}

/** On the page that somebody sees by then: a save may have led to another one. */
function LateReads() {
  const { ui } = useWords()
  if (!useLateReads()) return null
  return (
    <div role="status" className={styles.late}>
      {ui.savedSoon}
    </div>
  )
}
