import { type RefObject, useEffect, useRef } from 'react'

/**
 * While `isHeld`, the form around the element takes no text: it shows what was sent, and nothing that is typed meanwhile goes with a dialog that closes. The
 * focus stays where it is, as the form is there again where the save is refused.
 */
export function useHeldForm<Inside extends HTMLElement>(isHeld: boolean): RefObject<Inside | null> {
  const inside = useRef<Inside>(null)
  useEffect(() => {
    const form = inside.current?.closest('form')
    if (!isHeld || !form) return
    const refuse = (event: Event): void => event.preventDefault()
    form.addEventListener('beforeinput', refuse)
    form.setAttribute('aria-busy', 'true')
    return () => {
      form.removeEventListener('beforeinput', refuse)
      form.removeAttribute('aria-busy')
    }
  }, [isHeld])
  return inside
}
