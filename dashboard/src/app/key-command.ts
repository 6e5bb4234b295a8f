/** What a key asks for, wherever somebody is on a page of the workspace. */
export type KeyCommand = 'find' | 'filter' | 'list' | 'down' | 'up' | 'back'

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'repeat' | 'isComposing' | 'keyCode'> &
  Readonly<{ isAltGraph: boolean }>

/** By the character that was typed: where a layout has it is its own affair. */
const SIGNS: Readonly<Record<string, KeyCommand>> = { '/': 'filter', '?': 'list', Escape: 'back' }
const LETTERS: Readonly<Record<string, KeyCommand>> = { j: 'down', k: 'up' }

/** What old browsers say of a key that an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229

const isLatin = (key: string): boolean => /^[\x21-\x7e]$/.test(key)

/** A letter by its character, in any Latin layout; where the layout has other letters (Hebrew, Cyrillic, Greek) by its place: `Ctrl K` is `Ctrl ל` there. */
function letterOf({ key, code }: Pressed): string {
  if (isLatin(key)) return key.toLowerCase()
  return /^\p{L}$/u.test(key) ? (/^Key([A-Z])$/.exec(code)?.[1] ?? '').toLowerCase() : ''
}

/** Null for a key that is not ours, and for all that an input method composes. */
export function keyCommand(pressed: Pressed): KeyCommand | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing, keyCode, isAltGraph } = pressed
  if (isComposing || key === 'Process' || key === 'Dead' || keyCode === TAKEN_BY_INPUT_METHOD) return null
  // Some layouts have `/` and `?` behind Alt Gr, which Windows tells as Ctrl and Alt together.
  if ((ctrlKey || metaKey || altKey) && !isAltGraph)
    return ctrlKey !== metaKey && !altKey && !shiftKey && letterOf(pressed) === 'k' ? 'find' : null
  if (SIGNS[key] !== undefined) return repeat ? null : SIGNS[key]
  return shiftKey || isAltGraph ? null : (LETTERS[letterOf(pressed)] ?? null)
}
