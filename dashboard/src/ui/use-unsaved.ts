import { useCallback, useEffect, useId } from 'react'
import { useBeforeUnload } from 'react-router'

/** The forms of this page that hold what is not saved. */
const unsavedForms = new Set<string>()

export function isAnythingUnsaved(): boolean {
  return unsavedForms.size > 0
}

/** Somebody was asked, and gives it up. */
export function forgetUnsaved(): void {
  unsavedForms.clear()
}

/** The state of a move that follows a save: nothing is lost by it. */
export const AFTER_SAVE = { afterSave: true } as const

/** What a form holds after a save: what was typed while that was on its way stays. */
export function unlessTyped<Draft>(sent: Draft, saved: Draft): (current: Draft) => Draft {
  return (current) => (current === sent ? saved : current)
}

/**
 * Says that a form holds what is not saved. The browser asks before it leaves the page, also where the session has ended, and `LeaveGuard` before another
 * screen.
 */
export function useUnsaved(isUnsaved: boolean): void {
  const form = useId()
  useEffect(() => {
    if (!isUnsaved) return
    unsavedForms.add(form)
    return () => {
      unsavedForms.delete(form)
    }
  }, [form, isUnsaved])
  const ask = useCallback(
    (event: BeforeUnloadEvent) => {
      if (unsavedForms.has(form)) event.preventDefault()
    },
    [form],
  )
  useBeforeUnload(ask)
}
