import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findWaits } from './find-waits.ts'

const ROOT = join(import.meta.dirname, '../../')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** What puts work off: the consumers, and the inbox that they work from. */
const files = ['consumers/src', 'packages/jobs/src']
  .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT }))
  .filter((file) => !/\.(test|testing)\.ts$|\/testing\//.test(file))
const found = files.flatMap((file) => findWaits(file, read(file)))

type WaitRow = Readonly<Record<'place' | 'waits' | 'until' | 'wokenBy' | 'endsBy' | 'shownBy', string>>

const rows = read('docs/reference/waits.md')
  .split('\n')
  .flatMap((line): readonly WaitRow[] => {
    if (!line.startsWith('| `')) return []
    const [, place = '', waits = '', until = '', wokenBy = '', endsBy = '', shownBy = ''] = line.split('|').map((cell) => cell.trim())
    return [{ place: place.slice(1, -1), waits, until, wokenBy, endsBy, shownBy }]
  })
const NOTHING = '–'

test('docs/reference/waits.md names every place where something is put off, and no other', () => {
  const [places, named] = [found.map(({ place }) => place), rows.map(({ place }) => place)]
  expect(places.length).toBeGreaterThan(30)
  expect(places.filter((place) => !named.includes(place))).toEqual([])
  expect(named.filter((place) => !places.includes(place))).toEqual([])
})

test('each wait has an end: a time of its own, or something that wakes it, and what ends its repetitions', () => {
  const real = rows.filter(({ waits }) => !waits.startsWith('nothing'))
  const endless = real.filter(({ until, endsBy }) => until === '' || until === NOTHING || endsBy === '' || endsBy === NOTHING)
  // Given back at a stop, and claimed at once by another process.
  expect(endless.map(({ place }) => place)).toEqual(['packages/jobs/src/lane-queue.ts: drain', 'packages/jobs/src/lane-queue.ts: #outcome'])
  expect(real.filter(({ until, wokenBy }) => until.includes('no end of its own') && wokenBy === NOTHING)).toEqual([])
})

test('what is put aside is woken by something, is set in bold, and each way of waking it is shown by a test', () => {
  const aside = rows.filter(({ place }) => found.some((one) => one.place === place && one.isAside))
  expect(aside.length).toBeGreaterThan(2)
  expect(aside.filter(({ wokenBy, waits }) => wokenBy === NOTHING || !waits.includes('**'))).toEqual([])
  expect(aside.filter(({ shownBy }) => !shownBy.includes('`: '))).toEqual([])
})

describe('what shows it is there', () => {
  test.each(rows.map(({ place, shownBy }) => [place, shownBy] as const))('%s', (_, shownBy) => {
    const shown = [...shownBy.matchAll(/`([^`]+)`(?:: (.*?))?(?=; `|$)/g)]
    expect(shown.length).toBeGreaterThan(0)
    for (const [, file = '', name] of shown) {
      expect(existsSync(join(ROOT, file))).toBe(true)
      if (name !== undefined) expect(read(file)).toContain(`'${name}'`)
    }
  })
})

describe('a wait is found', () => {
  test.each([
    ['in a constant', "const BUSY = { inMs: 1_000, counts: false, reason: 'busy' }", 'BUSY', false],
    ['in what a function answers', 'function f(inMs) { return { inMs, counts: true } }', 'f', false],
    ['in a callback of one', 'const f = () => wait.then((dueAt) => ({ dueAt }))', 'f', false],
    ['in a method', 'class A { #end() { return { inMs: 0 } } }', '#end', false],
    ['that is put aside', 'const f = () => ({ inMs: 1, isAside: true })', 'f', true],
    ['of which one of two is', 'function f(x) { return x ? { inMs: 1 } : { inMs: 2, isAside: true } }', 'f', true],
  ])('%s', (_, text, name, isAside) => {
    expect(findWaits('a.ts', text)).toEqual([{ place: `a.ts: ${name}`, isAside }])
  })

  test.each([
    ['a type says', 'type Again = Readonly<{ inMs: number }>'],
    ['is read', 'const f = ({ inMs }) => inMs + other.inMs'],
  ])('but not where it only %s', (_, text) => {
    expect(findWaits('a.ts', text)).toEqual([])
  })
})
