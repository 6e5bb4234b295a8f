import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

/** How long a screen may take to show its title before the focus stays where it is. */
const timeoutMs = 5_000

/** After each move inside the dashboard the title of the new screen gets the focus, and is announced; the first page is announced by the browser. */
export function RouteAnnouncer() {
  const { pathname } = useLocation()
  const [announced, setAnnounced] = useState('')
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    // The screen before may still be there: its title is another element, or says something else.
    const before = document.querySelector('h1')
    const said = before?.textContent
    const arrive = (): boolean => {
      const title = document.querySelector('h1')
      if (title === null || (title === before && title.textContent === said)) return false
      title.focus()
      setAnnounced(title.textContent)
      return true
    }
    const watcher = new MutationObserver(() => arrive() && watcher.disconnect())
    watcher.observe(document.body, { childList: true, subtree: true, characterData: true })
    const timer = setTimeout(() => watcher.disconnect(), timeoutMs)
    return () => {
      watcher.disconnect()
      clearTimeout(timer)
    }
  }, [pathname])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {announced}
    </VisuallyHidden>
  )
}
