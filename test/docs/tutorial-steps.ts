import { expect } from 'vitest'
import { type Block, blocksOf, readPage } from './markdown.ts'

/** A block that is run, and the block under it that shows what it prints. */
export type Step = Readonly<{ script: Block; shown: Block | undefined }>

/** The blocks that a reader of the page pastes, in order. */
export function stepsOf(page: string): readonly Step[] {
  return blocksOf(readPage(page))
    .filter(({ language }) => language !== 'console')
    .flatMap((block, index, all) => {
      const next = all[index + 1]
      return block.language === 'sh' ? [{ script: block, shown: next?.language === 'sh' ? undefined : next }] : []
    })
}

/** What a page shows, as a matcher: a text with `…` in it, such as an id or a time, stands for any text. */
const matcherOf = (shown: unknown): unknown => {
  if (typeof shown === 'string') return shown.includes('…') ? expect.any(String) : shown
  if (Array.isArray(shown)) return shown.map(matcherOf)
  if (typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, matcherOf(value)]))
}

/** Fails unless what was printed is what the page shows. */
export function expectShown(printed: string, { language, text }: Block): void {
  if (language === 'json') expect(JSON.parse(printed)).toEqual(matcherOf(JSON.parse(text)))
  else expect(printed).toBe(text)
}
