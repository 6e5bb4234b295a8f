import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findCaches } from './find-caches.ts'

const ROOT = join(import.meta.dirname, '../../')

/** What the processes of the service run: not the command line, which ends, nor what only tests or an embedded server's owner load. */
const NOT_SERVED = [
  'analyst',
  'backup',
  'cli',
  'config',
  'contracts',
  'event-store',
  'evidence',
  'log',
  'log-export',
  'proof',
  'provisioning',
  'testing',
]
const SOURCES = 'packages/*/src domain/src command-api/src query-api/src dashboard-api/src projectors/src consumers/src'.split(' ')

const isServed = (file: string): boolean =>
  !/(\.test|\.testing|\.fixture)\.ts$|\/(testing|contract|embedded)\/|memory-key-store/.test(file) &&
  !NOT_SERVED.some((name) => file.startsWith(`packages/${name}/`))

const files = SOURCES.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: ROOT })).filter(isServed)
const found = files.flatMap((file) => findCaches(file, readFileSync(join(ROOT, file), 'utf8')))

const page = readFileSync(join(ROOT, 'docs/reference/caches.md'), 'utf8')
const rows = page.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|').map((cell) => cell.trim())] : []))
const named = rows.map(([, place = '']) => place.slice(1, -1))

test('docs/reference/caches.md names every cache of the sources, and no other', () => {
  expect(files.length).toBeGreaterThan(800)
  expect(found.filter((place) => !named.includes(place))).toEqual([])
  expect(named.filter((place) => !found.includes(place))).toEqual([])
})

test('it says of each what it holds; of what is stored also what makes it forget, here and elsewhere', () => {
  const short = rows.filter(
    ([, place, holds, ...more]) => place === '' || holds === '' || (more.length === 5 && (more[2] === '' || more[3] === '')),
  )
  expect(short).toEqual([])
  expect(rows.some((cells) => cells.length === 8)).toBe(true)
})

describe('a cache is found', () => {
  const places = (text: string) => findCaches('a.ts', text)

  test.each([
    ['by its constructor', 'const known = new LRUCache<string, true>({ max: 1 })', 'known'],
    ['by the function that makes it', 'export function f(log) { const states = createFollowedStates({ log }); return states }', 'states'],
    ['as what a function returns', 'export function rows(pool) { return createReferenceCache({ pool }) }', 'rows'],
    ['in the module', 'const formats = new Map<string, string>()', 'formats'],
    ['in a class', 'class A { readonly #held = new Set<string>() }', '#held'],
    [
      'in what a function returns',
      'function make() { const known = new Map(); return { learn: (key) => { known.set(key, 1) } } }',
      'known',
    ],
    [
      'where a callback fills it later',
      'function make() { const known = new Map(); const learn = (k) => known.set(k, 1); return learn }',
      'known',
    ],
  ])('%s', (_, text, name) => {
    expect(places(text)).toEqual([`a.ts: ${name}`])
  })

  test.each([
    ['is filled by the call that makes it', 'function f(all) { const by = new Map(); for (const one of all) by.set(one, 1); return by }'],
    [
      'is filled by a callback that the call runs',
      'function f(all) { const by = new Map(); all.forEach((one) => by.set(one, 1)); return by }',
    ],
    ['is a constant', "const KINDS = new Set(['a', 'b'])"],
    ['is declared to stay empty', 'const NONE: ReadonlyMap<string, string> = new Map()'],
    ['is compared', 'function f(a) { return () => new Set(a).size < 2 }'],
  ])('but nothing that %s', (_, text) => {
    expect(places(text)).toEqual([])
  })
})
