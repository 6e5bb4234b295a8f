import { useEffect, useRef } from 'react'
import { type NavigateOptions, useNavigate, useNavigation } from 'react-router'

/** Leads to what an answer has made, unless the person has left the screen meanwhile, or is about to: a late answer takes nothing away from where they are. */
export function useLead(): (path: string, options?: NavigateOptions) => void {
  const navigate = useNavigate()
  const { state } = useNavigation()
  const isHere = useRef(true)
  useEffect(() => {
    isHere.current = state === 'idle'
    return () => {
      isHere.current = false
    }
  }, [state])
  return (path, options) => {
    if (isHere.current) void navigate(path, options)
  }
}
