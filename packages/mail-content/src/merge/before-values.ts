import { addressSoFar } from '@tidings/domain'
import type { HtmlContext } from './html-contexts.ts'
import { type CodeLanguage, type CodeReader, codeReader } from './string-state.ts'
import type { ValueSurroundings } from './value-at.ts'

/** Gives what stands before a value of a place, which `at` ends; `add` tells what the value became. */
export type BeforeValues = Readonly<{
  at: (context: HtmlContext, offset: number) => Omit<ValueSurroundings, 'next'>
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
  let last: HtmlContext = { kind: 'text' }

  const begin = (context: HtmlContext): void => {
    const [start, language] = context.kind === 'text' ? [-1, null] : [context.from, languageOf(context)]
    if (start === from && last.kind === context.kind) return
    ;[from, read, address, last] = [start, start, '', context]
    code = language === null ? null : codeReader(language)
  }
  const add = (text: string): void => {
    if (last.kind === 'address') address = last.isOneOfMany ? addressInList(address, text) : addressSoFar(address, text)
    else code?.read(last.kind === 'attribute' ? unreferenced(text) : text)
  }
  return {
    at: (context, offset) => {
      begin(context)
      if (from !== -1) add(html.slice(read, offset))
      // A letter stands for the value.
      read = offset + 1
      return { address: code?.address() ?? address, state: code?.state() ?? '' }
    },
    add,
  }
}

const languageOf = (context: Exclude<HtmlContext, { kind: 'text' }>): CodeLanguage | null => {
  if (context.kind === 'attribute') return context.code
  return context.kind === 'address' ? null : context.kind
}

/** The address of a list that grows by a piece is what stands behind its last blank or comma. */
const addressInList = (before: string, text: string): string => {
  let at = text.length
  while (at > 0 && !/[\s,]/.test(text.charAt(at - 1))) at--
  return at === 0 ? addressSoFar(before, text) : addressSoFar('', text.slice(at))
}
