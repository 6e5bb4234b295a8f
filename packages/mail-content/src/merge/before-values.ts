import { addressSoFar } from '@tidings/domain'
import type { HtmlPlace } from './html-places.ts'
import { type CodeLanguage, type CodeReader, codeReader } from './string-state.ts'
import type { ValueSurroundings } from './value-at.ts'

/** Gives what stands before a value of a place, which `at` ends; `add` tells what the value became. */
export type BeforeValues = Readonly<{
  at: (place: HtmlPlace, offset: number) => Omit<ValueSurroundings, 'next'>
  add: (text: string) => void
}>

const QUOTE_REFERENCES: readonly (readonly [RegExp, string])[] = [
  [/&(?:quot|#34|#x22);/gi, '"'],
  [/&(?:apos|#39|#x27);/gi, "'"],
]
/** Reads a script or a style of an attribute, where a quote may be a reference. */
const unreferenced = (text: string): string => QUOTE_REFERENCES.reduce((read, [reference, sign]) => read.replace(reference, sign), text)

/** Reads the html between values that follow each other in one address, script or style. Each part is read once. */
export function beforeValues(html: string): BeforeValues {
  let [from, read] = [-1, -1]
  let address = ''
  let code: CodeReader | null = null
  let last: HtmlPlace = { kind: 'text' }

  const begin = (place: HtmlPlace): void => {
    const [start, language] = place.kind === 'text' ? [-1, null] : [place.from, languageOf(place)]
    if (start === from && last.kind === place.kind) return
    ;[from, read, address, last] = [start, start, '', place]
    code = language === null ? null : codeReader(language)
  }
  const add = (text: string): void => {
    if (last.kind === 'address') address = last.isOneOfMany ? addressInList(address, text) : addressSoFar(address, text)
    else code?.read(last.kind === 'attribute' ? unreferenced(text) : text)
  }
  return {
    at: (place, offset) => {
      begin(place)
      if (from !== -1) add(html.slice(read, offset))
      // A letter stands for the value.
      read = offset + 1
      return { address: code?.address() ?? address, state: code?.state() ?? '' }
    },
    add,
  }
}

const languageOf = (place: Exclude<HtmlPlace, { kind: 'text' }>): CodeLanguage | null => {
  if (place.kind === 'attribute') return place.code
  return place.kind === 'address' ? null : place.kind
}

/** The address of a list that grows by a piece is what stands behind its last blank or comma. */
const addressInList = (before: string, text: string): string => {
  let at = text.length
  while (at > 0 && !/[\s,]/.test(text.charAt(at - 1))) at--
  return at === 0 ? addressSoFar(before, text) : addressSoFar('', text.slice(at))
}
