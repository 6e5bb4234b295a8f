import { escapeHtml, inAddress } from '@tidings/domain'
import type { HtmlContext } from './html-contexts.ts'
import type { CodeLanguage, StringState } from './string-state.ts'

/** `address` is what an address has so far (`addressSoFar`), `state` where in a script or a style the value is, `next` what follows, null at the end. */
export type ValueSurroundings = Readonly<{ address: string; state: StringState; next: string | null }>

/** Makes a value what it may be in its place (M52). */
export function valueAt(context: HtmlContext, value: string, around: ValueSurroundings): string {
  if (value === '') return ''
  switch (context.kind) {
    case 'text':
      return escapeHtml(value)
    case 'script':
    case 'style':
      return valueInCode(context.kind, value, around)
    case 'attribute':
      return escapedIn(context, valueInAttribute(context.code, value, around))
    case 'address': {
      const text = addressAt(context.isOneOfMany ? 'list' : context.isQuoted ? 'quoted' : 'unquoted', value, around)
      return escapedIn(context, context.isOneOfMany ? inAddressList(text) : text)
    }
  }
}

const END_OF_ADDRESS = { quoted: /^["']/, unquoted: /^[\s>]/, list: /^[\s,"'>]/, style: /^\s*(?:[)"']|&(?:quot|apos|#34|#39);)/ }

const addressAt = (where: keyof typeof END_OF_ADDRESS, value: string, { address, next }: ValueSurroundings): string =>
  inAddress(value, address, next === null || END_OF_ADDRESS[where].test(next) ? null : next)

const escapedIn = ({ isQuoted }: Readonly<{ isQuoted: boolean }>, text: string): string =>
  isQuoted ? escapeHtml(text) : escapeUnquoted(text)

/** Makes a string, or the inside of one that the author has begun, or an address in `url(`. */
const valueInCode = (language: CodeLanguage, value: string, around: ValueSurroundings): string => {
  const { state } = around
  if (state.startsWith('url(')) return inStyleAddress(addressAt('style', value, around))
  const text = (language === 'script' ? scriptString : styleString)(value)
  return state === '"' || state === "'" || state === '`' ? text.slice(1, -1) : text
}

/** In a style a value that is neither in a string nor in an address is a color or a size, and no string can be one. */
const valueInAttribute = (code: CodeLanguage | null, value: string, around: ValueSurroundings): string =>
  code === null || (code === 'style' && around.state === '') ? value : valueInCode(code, value, around)

/** Encodes the signs that end an address in CSS, or a string around it (CSS Syntax 3, 4.3.6). */
const inStyleAddress = (address: string): string => address.replace(/["'()\\\s]/g, percentEncoded)

/** Encodes a blank, which ends an address of a list, and a comma at an end, which does so too (HTML standard, 4.8.4.2). */
const inAddressList = (address: string): string => address.replace(/\s|^,|,$/g, percentEncoded)

const percentEncoded = (sign: string): string => {
  const encoded = encodeURIComponent(sign)
  return encoded === sign ? `%${sign.charCodeAt(0).toString(16).toUpperCase()}` : encoded
}

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
