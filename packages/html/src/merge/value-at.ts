import { escapeHtml, inAddress } from '@tidings/domain'
import type { HtmlPlace } from './html-places.ts'

/** `address` is what an address has so far (`addressSoFar`), `quote` what stands right before the value if it is one, `next` what follows, null at the end. */
type Around = Readonly<{ address: string; quote: string; next: string | null }>

/** Makes a value what it may be in its place (M52). */
export function valueAt(place: HtmlPlace, value: string, around: Around): string {
  if (value === '') return ''
  switch (place.kind) {
    case 'text':
      return escapeHtml(value)
    case 'script':
      return stringIn(scriptString(value), around)
    case 'style':
      return stringIn(styleString(value), around)
    case 'attribute': {
      const text = place.isScript ? scriptString(value) : value
      return place.isQuoted ? escapeHtml(text) : escapeUnquoted(text)
    }
    case 'address': {
      const text = inAddress(value, around.address, isLast(place.isQuoted, around.next) ? null : around.next)
      return place.isQuoted ? escapeHtml(text) : escapeUnquoted(text)
    }
  }
}

const isLast = (isQuoted: boolean, next: string | null): boolean => next === null || (isQuoted ? /^["']/ : /^[\s>]/).test(next)

/** The author may have written its quotes. */
const stringIn = (text: string, { quote, next }: Around): string => (quote !== '' && next?.startsWith(quote) ? text.slice(1, -1) : text)

/** Makes a text safe in an attribute without quotes: it stays one word. */
function escapeUnquoted(text: string): string {
  return escapeHtml(text).replace(/[\s=`]/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** Makes a string of JSON, which is one of JavaScript too, in a form that ends no script (HTML standard, 4.12.1.3). */
function scriptString(text: string): string {
  return JSON.stringify(text).replace(/[<>&'`$\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Makes a string of CSS (CSS Syntax 3, 4.3.5), in a form that ends no style. */
function styleString(text: string): string {
  return `"${text.replace(/["'\\<>&\p{Cc}]/gu, (char) => `\\${char.charCodeAt(0).toString(16)} `)}"`
}
