import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { useBeforeUnload, useNavigate } from 'react-router'

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

type SaveTarget = Readonly<{ path: string; replace: boolean; stay: () => void }>

/**
 * Where a save leads. `sends` notes what is saved; `moveOn` goes there, but stays where something was typed while the save was on its way: nothing of that
 * is lost. It goes nowhere once the form was left.
 */
export function useAfterSave<Draft>(draft: Draft) {
  const navigate = useNavigate()
  const typed = useRef<Draft | null>(draft)
  const sent = useRef(draft)
  const [hasStayed, setStayed] = useState(false)
  useEffect(() => {
    typed.current = draft
    return () => {
      typed.current = null
    }
  }, [draft])
  return {
    hasStayed,
    sends: (): void => {
      sent.current = draft
      setStayed(false)
    },
    moveOn: ({ path, replace, stay }: SaveTarget): void => {
      if (typed.current === sent.current) return void navigate(path, { replace, state: AFTER_SAVE })
      if (typed.current === null) return
      setStayed(true)
      stay()
    },
  }
}
