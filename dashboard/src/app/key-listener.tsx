import { useEffect, useRef } from 'react'
import { type KeyCommand, keyCommand } from './key-command.ts'

/** Fields into which one types, or whose options a letter chooses; a box to tick is none. */
const TYPED_INTO =
  'textarea, select, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=file]), [contenteditable], [role=textbox], [role=combobox], [role=listbox]'

/** A dialog or a menu stands above the page and has keys of its own. */
const ABOVE = '[role=dialog], [role=alertdialog], [role=menu], dialog[open]'

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest(TYPED_INTO) !== null

const focusOn = (selector: string): boolean => {
  const found = document.querySelector(selector)
  if (!(found instanceof HTMLElement)) return false
  found.focus()
  return true
}

/** From row to row of the tables; from elsewhere to the first one. */
function moveBy(step: 1 | -1): boolean {
  const rows: (Element | null)[] = Array.from(document.querySelectorAll('main a[data-row]'))
  const at = rows.indexOf(document.activeElement)
  const next = rows[at === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))]
  if (!(next instanceof HTMLElement)) return false
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
  return true
}

const goBack = (): boolean => {
  const link = document.querySelector('main a[data-back]')
  if (!(link instanceof HTMLElement)) return false
  link.click()
  return true
}

type Opening = Readonly<{ onFind: () => void; onList: () => void }>

function perform(command: KeyCommand, { onFind, onList }: Opening): boolean {
  if (command === 'find' || command === 'list') {
    command === 'find' ? onFind() : onList()
    return true
  }
  if (command === 'filter') return focusOn('main search :is(input, select)')
  return command === 'back' ? goBack() : moveBy(command === 'down' ? 1 : -1)
}

/**
 * Listens for the keys of the dashboard, but not while one types, or while a dialog or menu is open. It stands before all that may open one:
 * so its listener hears `Escape` first, while the dialog that the key closes is still there.
 */
export function KeyListener(opening: Opening) {
  const latest = useRef(opening)
  useEffect(() => {
    latest.current = opening
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target) || document.querySelector(ABOVE) !== null) return
      const { key, code, ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing, keyCode } = event
      const modifiers = { ctrlKey, metaKey, altKey, shiftKey, isAltGraph: event.getModifierState('AltGraph') }
      const command = keyCommand({ key, code, repeat, isComposing, keyCode, ...modifiers })
      if (command !== null && perform(command, latest.current)) event.preventDefault()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [])
  return null
}
