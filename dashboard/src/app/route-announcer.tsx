import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'

/** A title that changes later than this, and while nothing of the screen is loaded, is announced no more: the focus stays where it is. */
const TITLE_MS = 5_000

/** Whether the screen or its record has still to come, however slow the service is. */
const isLoading = (): boolean => document.querySelector('main[aria-busy=true], main [data-loading]') !== null

type Title = Readonly<{ element: HTMLElement | null; text: string }>

const readTitle = (): Title => {
  const element = document.querySelector('h1')
  return { element, text: element?.textContent ?? '' }
}

/** Follows the title of a new screen: each that differs from the last is announced, and has the focus until somebody presses something. Answers how to stop it. */
function followTitle(before: Title, announce: (text: string) => void): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let last = before
  let isPressed = false
  const look = (): void => {
    const title = readTitle()
    if (title.element === null || (title.element === last.element && title.text === last.text)) return
    last = title
    announce(title.text)
    if (!isPressed) title.element.focus()
  }
  look()
  const notePress = (): void => {
    isPressed = true
  }
  for (const press of ['keydown', 'pointerdown'] as const) window.addEventListener(press, notePress, { capture: true, signal })
  const watcher = new MutationObserver(look)
  watcher.observe(document.body, { childList: true, subtree: true, characterData: true })
  signal.addEventListener('abort', () => watcher.disconnect())
  const end = (): void => {
    if (signal.aborted) return
    if (isLoading()) setTimeout(end, TITLE_MS)
    else ended.abort()
  }
  setTimeout(end, TITLE_MS)
  return () => ended.abort()
}

/** After each move inside the dashboard the title of the new screen gets the focus, and is announced; the first page is announced by the browser. */
export function RouteAnnouncer() {
  const { pathname } = useLocation()
  const [announced, setAnnounced] = useState('')
  const shown = useRef<Readonly<{ pathname: string; before: Title }>>({ pathname, before: { element: null, text: '' } })
  // The screen before is there while this renders; when an effect runs, the next one may have taken its place.
  if (shown.current.pathname !== pathname) shown.current = { pathname, before: readTitle() }
  const first = useRef(pathname)
  useEffect(() => {
    if (first.current === pathname) return
    first.current = ''
    return followTitle(shown.current.before, setAnnounced)
  }, [pathname])
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {announced}
    </VisuallyHidden>
  )
}
