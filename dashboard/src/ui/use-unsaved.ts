import { useCallback, useEffect, useId } from 'react'
import { useBeforeUnload } from 'react-router'

/** The forms of this page that hold what is not saved. */
const unsavedForms = new Set<string>()

export function isAnythingUnsaved(): boolean {
  return unsavedForms.size > 0
}

/** The state of a move that follows a save: nothing is lost by it. */
export const AFTER_SAVE = { afterSave: true } as const

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
      if (isUnsaved) event.preventDefault()
    },
    [isUnsaved],
  )
  useBeforeUnload(ask)
}
