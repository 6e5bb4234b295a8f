/** What an element does with its content. Bits, since each one is inherited. */
export const SHOWN = 0
/** Nothing inside can be seen. */
export const HIDDEN = 1
/** Letters have no size, until an element inside gives them one. Images are seen. */
export const NO_SIZE = 2
/** The element is not painted, but one inside may be. */
const UNPAINTED = 4
/** Seen, with the lines and blanks of its source. */
export const PREFORMATTED = 8

/** What a style says of each; null where it says nothing. */
export type Style = Readonly<{ hides: boolean | null; hasNoSize: boolean | null; isUnpainted: boolean | null }>

const RELEVANT = /display|height|width|opacity|visibility|font-size|mso-hide/

/** What a list of declarations says of being seen; null where none of them is about that. Time grows with its length. */
export function styleOf(declarations: string): Style | null {
  const css = declarations.toLowerCase()
  if (!RELEVANT.test(css)) return null
  const size = valueIn(css, 'font-size')
  const visibility = valueIn(css, 'visibility')
  return {
    hides: hides(css),
    hasNoSize: size === null ? null : sizeOf(size),
    isUnpainted: visibility === null ? null : /^(?:hidden|collapse)/.test(visibility),
  }
}

/** The visibility of an element inside one that has `outer`. */
export function visibilityIn(outer: number, { hides, hasNoSize, isUnpainted }: Style): number {
  const sized = hasNoSize === null ? outer : hasNoSize ? outer | NO_SIZE : outer & ~NO_SIZE
  const painted = isUnpainted === null ? sized : isUnpainted ? sized | UNPAINTED : sized & ~UNPAINTED
  return hides === true ? painted | HIDDEN : painted
}

/** `second` says more than `first`: what it says counts. */
export function merged(first: Style | null, second: Style | null): Style | null {
  if (first === null || second === null) return first ?? second
  return {
    hides: second.hides ?? first.hides,
    hasNoSize: second.hasNoSize ?? first.hasNoSize,
    isUnpainted: second.isUnpainted ?? first.isUnpainted,
  }
}

/** The ways in which the authors of mails hide a line that only the list of mails shows. */
const hides = (css: string): boolean | null => {
  const display = valueIn(css, 'display')
  if (display?.startsWith('none')) return true
  if (isZero(css, 'max-height') || isZero(css, 'opacity')) return true
  if (isZero(css, 'height') && valueIn(css, 'overflow')?.startsWith('hidden')) return true
  if (valueIn(css, 'mso-hide')?.startsWith('all')) return true
  return display === null ? null : false
}

const isZero = (css: string, property: string): boolean => {
  const value = valueIn(css, property)
  return value !== null && Number.parseFloat(value) === 0
}

/** Whether letters of that size cannot be seen; null where it depends on what is around. */
const sizeOf = (value: string): boolean | null => {
  const size = Number.parseFloat(value)
  if (size === 0) return true
  if (/^[\d.+]+\s*(?:em|ex|ch|%)/.test(value) || /^(?:inherit|smaller|larger)/.test(value)) return null
  return /^[\d.+]+\s*(?:px|pt)/.test(value) && size <= 1
}

const BEFORE_NAME = /[;{}\s/]/

/** The last value of a property. */
function valueIn(css: string, property: string): string | null {
  for (let at = css.lastIndexOf(property); at !== -1; at = at === 0 ? -1 : css.lastIndexOf(property, at - 1)) {
    if (at > 0 && !BEFORE_NAME.test(css.charAt(at - 1))) continue
    const colon = skipBlanks(css, at + property.length)
    if (css.charAt(colon) !== ':') continue
    const from = skipBlanks(css, colon + 1)
    return css.slice(from, from + 20)
  }
  return null
}

function skipBlanks(css: string, from: number): number {
  let at = from
  while (at < css.length && css.charCodeAt(at) <= 32) at++
  return at
}
