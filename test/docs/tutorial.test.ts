import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Block, blocksOf, readPage } from './markdown.ts'
import { type StartedService, startTidings } from './service.ts'
import { runInOneShell } from './shell.ts'

/** A block that is run, and the block under it that shows what it prints. */
type Step = Readonly<{ script: Block; shown: Block | undefined }>

const steps: readonly Step[] = blocksOf(readPage('docs/tutorial/first-email.md'))
  .filter(({ language }) => language !== 'console')
  .flatMap((block, index, all) => {
    const next = all[index + 1]
    return block.language === 'sh' ? [{ script: block, shown: next?.language === 'sh' ? undefined : next }] : []
  })

/** What a page shows, as a matcher: a text with `…` in it, such as an id or a time, stands for any text. */
const matcherOf = (shown: unknown): unknown => {
  if (typeof shown === 'string') return shown.includes('…') ? expect.any(String) : shown
  if (Array.isArray(shown)) return shown.map(matcherOf)
  if (typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, matcherOf(value)]))
}

let service: StartedService
let printed: readonly string[]

beforeAll(async () => {
  service = await startTidings()
  const env = { ...service.env, TIDINGS_URL: service.url, TIDINGS_KEY: service.key }
  printed = await runInOneShell(
    steps.map(({ script }) => script.text),
    env,
  )
}, 120_000)
afterAll(() => service?.stop(), 20_000)

it('the tutorial has steps, and most of them show what they print', () => {
  expect(steps.length).toBeGreaterThan(10)
  expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(10)
})

it.each(steps.flatMap(({ script, shown }, index) => (shown === undefined ? [] : [{ line: script.line, shown, index }])))(
  'the step in line $line prints what is shown under it',
  ({ shown, index }) => {
    const text = printed[index] ?? ''
    if (shown.language === 'json') expect(JSON.parse(text)).toEqual(matcherOf(JSON.parse(shown.text)))
    else expect(text).toBe(shown.text)
  },
)
