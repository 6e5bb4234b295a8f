import { useCallback } from 'react'
import { useBeforeUnload } from 'react-router'

/** The browser asks before the page is left with what somebody typed: also where the session has ended, and the page goes to the sign-in. */
export function useUnsaved(isUnsaved: boolean): void {
  const ask = useCallback(
    (event: BeforeUnloadEvent) => {
      if (isUnsaved) event.preventDefault()
    },
    [isUnsaved],
  )
  useBeforeUnload(ask)
}
