import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commentsOf } from './comments.ts'
import { findDirections } from './find-directions.ts'
import { findFragments } from './find-fragments.ts'
import { findIdioms } from './find-idioms.ts'
import { findTestIdioms } from './find-test-idioms.ts'
import { findWords, parseWordList } from './find-words.ts'

const list = parseWordList(readFileSync(join(import.meta.dirname, 'words.md'), 'utf8'))
const wordsOf = findWords(list)
const messages = (file: string, text: string) => wordsOf(file, text).map(({ line, message }) => `${line}: ${message}`)

describe('the word list', () => {
  test('says of every word where it is refused and what to write', () => {
    expect(list.entries.length).toBeGreaterThan(40)
    expect(
      list.entries.filter(({ words, scope, say }) => !/^[a-z ]+$/.test(words) || !/^(everywhere|names|files)$/.test(scope) || say === ''),
    ).toEqual([])
    expect(new Set(list.entries.map(({ words }) => words)).size).toBe(list.entries.length)
  })

  test.each(list.entries)('refuses "$words" ($scope)', ({ words, scope }) => {
    const name = words.replace(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase())
    const found =
      scope === 'files'
        ? messages(`packages/a/src/${words.replaceAll(' ', '-')}.ts`, '')
        : messages('packages/a/src/a.ts', `\nconst ${name} = 1\n`)
    expect(found).toContainEqual(expect.stringContaining(`"${words}": say `))
  })
})

describe('a refused word', () => {
  test('is found in a comment, a text, an identifier and a document, with its line and the plain word', () => {
    const say = 'say timeoutMs, retryDelaysMs or maxAttempts'
    expect(messages('a.ts', '// a\n/** No patience. */')).toEqual([`2: "patience": ${say}`])
    expect(messages('a.ts', "log.info('out of patience')")).toEqual([`1: "patience": ${say}`])
    expect(messages('a.ts', 'const PATIENCE_MS = 1')).toEqual([`1: "patience": ${say}`])
    expect(messages('docs/a.md', 'Have patience.')).toEqual([`1: "patience": ${say}`])
  })

  test('is not found in a name that others gave, and is beside it', () => {
    expect(messages('a.ts', "const users = ['postgres', 'nobody']")).toEqual([])
    expect(messages('a.ts', "const users = ['postgres', 'nobody'] // nobody")).toEqual([expect.stringMatching(/^1: "nobody": say /)])
  })

  test('is found in a file name, however the words are joined', () => {
    expect(messages('packages/a/src/roll-call.ts', '')).toEqual(['1: file name, "roll call": say acknowledgement by every live process'])
  })

  test('of a name only is free in a sentence', () => {
    expect(messages('a.ts', '// Written by hand; turn it off.\nconst takesHand = 1')).toEqual(['2: "hand": say DeliveryBuffer'])
  })

  test('inside another word is another word', () => {
    expect(messages('a.ts', 'const handle = space + returned // understanding')).toEqual([])
  })

  test('is not looked for in what is named in the second table', () => {
    expect(messages('test/style/a.ts', '// nobody')).toEqual([])
    expect(messages('deploy/migrations/0001_a.sql', '-- nobody')).not.toEqual([])
  })
})

describe('the idioms', () => {
  const idioms = (text: string) => findIdioms('a.ts', text).map(({ line, message }) => `${line}: ${message.split(':')[0]}`)

  test('refuse an exported arrow without a named type', () => {
    expect(idioms('\nexport const f = async <T>(a: T) => a')).toEqual(['2: an exported function is a declaration'])
  })

  test('allow a declaration, a const with a named function type, and what is not exported', () => {
    expect(idioms('export function f() {}\nexport const g: G = (a) => a\nconst h = () => 1\nexport const i = make(() => 1)')).toEqual([])
  })

  test('refuse the keyword private on a member, not on a constructor', () => {
    expect(idioms('class A {\n  private readonly a = 1\n  private b(): void {}\n  #c = 1\n  private constructor() {}\n}')).toEqual([
      '2: a private member is #x',
      '3: a private member is #x',
    ])
  })
})

describe('the idioms of tests', () => {
  const idioms = (text: string, file = 'a.int.test.ts') =>
    findTestIdioms(file, text).map(({ line, message }) => `${line}: ${message.split(' ')[2]}`)

  test.each(['', ', { interval: 5 }', ', { timeout: 5_000 }', ', { timeout: 59_999, interval: 1 }'])(
    'refuse a wait that ends early (%s)',
    (options) => {
      expect(idioms(`\nawait vi.waitFor(() => expect(a).toBe(1)${options})`)).toEqual(['2: waits'])
      expect(idioms(`\nawait vi.waitFor(() => expect(a).toBe(1)${options})`, 'packages/a/src/a.ts')).toEqual([])
    },
  )

  test.each([
    ['domain/src/otp/otp.test.ts', ['1: stands']],
    ['packages/a/src/b/a.int.test.ts', ['1: stands']],
    ['consumers/src/testing/rig.ts', ['1: stands']],
    ['packages/a/src/a.testing.ts', ['1: stands']],
    ['packages/testing/src/until.ts', []],
    ['domain/test/otp/otp.test.ts', []],
    ['consumers/test/testing/rig.ts', []],
  ])('refuse a test among what ships: %s', (file, found) => {
    expect(idioms('', file)).toEqual(found)
  })

  test('allow one of a minute', () => {
    expect(idioms('await vi.waitFor(check, { timeout: 60_000, interval: 1 })')).toEqual([])
  })

  test.each([
    'it("a", check, 5_000)',
    'it.each([1, 2])("a", check, 59_999)',
    'test("a", { timeout: 1_000 }, check)',
    'afterAll(() => service?.stop(), 20_000)',
    'await expect.poll(look, { interval: 20, timeout: 10_000 }).toBe(1)',
  ])('refuse a limit that a busy machine does not keep: %s', (code) => {
    expect(idioms(code)).toEqual(['1: ends'])
  })

  test.each([
    'it("a", check, 240_000)',
    'test("a", { timeout: 60_000 }, check)',
    'expect.poll(look, { interval: 20 })',
    'it.each([1, 2])("a", check)',
    'setInterval(look, 50)',
  ])('allow what is no limit, or a long one: %s', (code) => {
    expect(idioms(code)).toEqual([])
  })

  test.each(['await vi.runAllTimersAsync()', 'expect(vi.getTimerCount()).toBe(0)'])(
    'refuse to look at the timers of others: %s',
    (code) => {
      expect(idioms(code)).toEqual(['1: a'])
    },
  )

  test.each(['afterEach(async () => close())', 'beforeAll(open)'])('refuse a hook that only the first file has: %s', (code) => {
    expect(idioms(code, 'packages/a/test/open-a.ts')).toEqual(['1: of'])
    expect(idioms(code, 'packages/a/test/a.testing.ts')).toEqual(['1: of'])
    expect(idioms(code, 'packages/a/test/a.int.test.ts')).toEqual([])
    expect(idioms(`export function setUp() {\n  ${code}\n}`, 'packages/a/test/open-a.ts')).toEqual([])
  })

  test.each([
    ['createFollower({ log, views: [view] })', 'a.test.ts', ['1: gives']],
    ['createFollower({ log, views: [view], now: () => 0 })', 'a.test.ts', []],
    ['createFollower({ log, views: [view] })', 'a.int.test.ts', []],
    ['createFollower({ log, views: [view] })', 'consumers/test/testing/rig.ts', []],
  ])('refuse a follower that is late where its process stood still: %s in %s', (code, file, found) => {
    expect(idioms(code, file)).toEqual(found)
  })

  test('refuse a pool whose queries fail after a few seconds', () => {
    const pool = "const pool = createPool({ url, max: 1, name: 'test' })"
    expect(idioms(pool)).toEqual(['1: of'])
    expect(idioms(pool, 'packages/codec/test/rotation.testing.ts')).toEqual(['1: of'])
    expect(idioms(pool, 'packages/postgres/test/pool.int.test.ts')).toEqual([])
    expect(idioms(pool, 'consumers/test/testing/consumer-process.ts')).toEqual([])
    expect(idioms(pool.replace('createPool', 'patientPool'))).toEqual([])
  })

  test('refuse a store whose appends fail after a few seconds', () => {
    const store = 'const store = postgresEventStore({ pool })'
    expect(idioms(store, 'a.int.test.ts')).toEqual(['1: of'])
    expect(idioms(store, 'a.test.ts')).toEqual([])
    expect(idioms(store.replace('pool', 'pool, appendDeadlineMs: PATIENT_MS'), 'a.int.test.ts')).toEqual([])
  })

  test('allow to count from what was there', () => {
    expect(idioms('expect(vi.getTimerCount()).toBeLessThanOrEqual(timers)\nexpect(vi.getTimerCount() - timers).toBe(1)')).toEqual([])
  })

  test.each([
    ...['expect(text).toMatch(/250/)', 'expect(text).not.toMatch(/adb/i)', 'lines.filter((line) => /404/.test(line))'],
    "expect(text).not.toContain('ada')",
  ])('refuse a pattern that an id matches by chance: %s', (code) => {
    expect(idioms(code)).toEqual(['1: of'])
  })

  test.each([
    ...['expect(text).toMatch(/^250 /)', 'expect(text).toMatch(/code 250/)', 'const third = 1_000 / 3 / 7'],
    ...["expect(text).not.toContain('ada@')", "expect(keys).not.toContain('409')", "expect(text).toContain('ada')"],
  ])('allow another: %s', (code) => {
    expect(idioms(code)).toEqual([])
  })

  test.each([
    ["`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %'`", ['1: asks']],
    [`"select 1 from pg_locks where locktype = 'advisory' and not granted"`, ['1: asks']],
    ["`select from pg_stat_activity where datname = current_database() and state = 'active'`", []],
    ["'select wait_event from pg_stat_activity where pid = $1'", []],
  ])('see whom of the shared server a query is about: %s', (sql, found) => {
    expect(idioms(`pool.query(${sql})`)).toEqual(found)
  })
})

describe('the name of a type', () => {
  const vague = (text: string) => findIdioms('a.ts', text).map(({ line, message }) => `${line}: ${message.split(':')[0]}`)

  test.each([
    'type Row = 1',
    'export type Row<A> = A',
    'interface Parts { a: 1 }',
    'export interface Wanted extends A {}',
    'class Place {}',
    'const a = class Found {}',
    'import type { Seen } from "./a.ts"',
    'import { a, type Place } from "./a.ts"',
    'import { type StreamPosition as Place } from "./a.ts"',
    'const f = () => {\n  type Kept = 1\n}',
    'function f<Of extends object>(a: Of) {}',
    'type A<Place> = Place',
    'type A<T> = T extends (infer Found)[] ? Found : T',
  ])('may not be one word that says nothing: %s', (text) => {
    expect(vague(text)).toEqual([expect.stringMatching(/^[12]: a type has its noun$/)])
  })

  test.each([
    'type CampaignRow = 1',
    'type Rows = 1',
    'import { type Options as ConnectionOptions } from "nodemailer"',
    'function f<Row extends object, State>(row: Row, state: State) {}',
    'const Place = Type.Object({})',
    'type A = streams.ReadReq.Options',
    'const a = { Row: 1, type: "Wanted" }',
    '// type Row = 1',
    'const a = "type Row = 1"',
  ])('is free otherwise: %s', (text) => {
    expect(vague(text)).toEqual([])
  })
})

test.each([
  ['new LRUCache<string, true>({ max: 10, ttl: 5 })', 1],
  ['new LRUCache({ ...entriesUpTo(10), ttl, ttlAutopurge: true })', 1],
  ['new LRUCache({ max: 10, ttl: 5, ttlResolution: 0 })', 0],
  ['new LRUCache({ max: 10 })', 0],
  ['makeCache({ ttl: 5 })', 0],
])('a cache that forgets by time goes by a clock that does not stand still: %s', (text, found) => {
  expect(findIdioms('a.ts', text)).toHaveLength(found)
})

describe('the comments of a file', () => {
  const textsOf = (text: string, file = 'a.ts') => commentsOf(file, text).map(({ line, texts }) => `${line}: ${texts.join(' | ')}`)

  test('are found wherever the syntax allows one, with their line', () => {
    expect(textsOf(`#!/usr/bin/env node\n// One\nconst a = 1 // two\n/** Three */\nf(/* four */ 1, \`$\{2 /* five */}\`)\n// six`)).toEqual(
      ['2: One', '3: two', '4: Three', '5: four', '5: five', '6: six'],
    )
  })

  test('are not text in strings, templates and patterns', () => {
    expect(textsOf(`const a = ['// a', \`/* b $\{1} // c\`, /[/*]/, /\\/\\/ d/]`)).toEqual([])
  })

  test('of neighbouring lines are one, and lose their marks', () => {
    expect(textsOf('// One\n//two\n\n// Three\n/**\n * Four\n * five\n */\nconst a = 1 // six\n')).toEqual([
      '1: One | two',
      '4: Three',
      '5:  | Four | five | ',
      '9: six',
    ])
  })

  test('of SQL are found in the bodies of functions too, and not in quoted texts', () => {
    const sql = `-- One\n-- it's two\nselect '-- a', "b--" /* three */ from c;\ncreate function f() as $$ begin -- four\nend $$`
    expect(textsOf(sql, 'a.sql')).toEqual([`1: One | it's two`, '3: three', '4: four'])
  })
})

describe('a fragment', () => {
  const fragments = (text: string, file = 'a.ts') =>
    findFragments(file, text).map(({ line, message }) => `${line}: ${message.split('"')[1]}`)

  test.each(['Of', 'Who', 'Whom', 'Whose', 'What was', 'What were', 'Where nothing'])(
    'that begins with "%s" is refused in every kind of comment',
    (words) => {
      const sentence = `${words} here.`
      for (const text of [`\n/** ${sentence} */`, `\n// ${sentence}`, `\nconst a = 1 // ${sentence.toLowerCase()}`, `\n/*${sentence}*/`])
        expect(fragments(text)).toEqual([`2: ${text.includes('const') ? words.toLowerCase() : words}`])
      expect(fragments(`/**\n * It is so. ${sentence}\n *\n * ${sentence}\n */`)).toEqual([`2: ${words}`, `4: ${words}`])
      expect(fragments(`// It is so.\n// ${sentence}`)).toEqual([`2: ${words}`])
      expect(fragments(`/** It is so. */\n/** ${sentence} */`, 'a.mjs')).toEqual([`2: ${words}`])
      expect(fragments(`-- It is so.\n-- ${sentence}`, 'a.sql')).toEqual([`2: ${words}`])
    },
  )

  test('is refused in the paragraphs, items and cells of a page', () => {
    expect(fragments('# A\n\nIt is so.\nWho asks.\n\n- Of it\n  all. Whose?\n1. **Whom** it\n\n| a | Of b |\n', 'a.md')).toEqual([
      '4: Who',
      '6: Of',
      '7: Whose',
      '8: Whom',
      '10: Of',
    ])
  })

  test('is not in the headings, code, small cells and running sentences of a page', () => {
    expect(fragments('## Who did what\n\n```\n# Of it\n```\n\n| a | of b |\n\nThe rows\nOf Mice and `Who`.\n', 'a.md')).toEqual([])
  })

  test('is not a sentence that goes on in the next line, another word, a name, a string or a document', () => {
    expect(fragments('/**\n * The rows\n * of a list, and those\n * who asked.\n */')).toEqual([])
    expect(fragments('/** Offers a place. Whole lists. What waits. Where rows are. */')).toEqual([])
    expect(fragments("const a = 'It is. Of course' // The owner\nconst b = `// Of it`")).toEqual([])
    expect(fragments('Of course. // Of', 'port.txt')).toEqual([])
    expect(fragments("select '-- Of it'", 'a.sql')).toEqual([])
  })
})

describe('a side of the screen', () => {
  const linesOf = (name: string, text: string) => findDirections(`dashboard/src/${name}`, text).map(({ line }) => line)

  test.each([
    'margin-left: 4px',
    'padding-right: 0',
    'left: 0',
    'text-align: right',
    'float: left',
    'border-left: 1px solid var(--line)',
    'border-top-right-radius: 6px',
    'background: linear-gradient(to right, red, blue)',
    'transform-origin: left top',
    'margin: 0 4px 0 8px',
  ])('is refused in a style sheet: %s', (declaration) => {
    expect(linesOf('a.module.css', `/* left\n right */\n.a {\n  color: red;\n  ${declaration};\n}`)).toEqual([5])
    expect(linesOf('a.module.css', `.a { ${declaration} }`)).toEqual([1])
  })

  test('is none in a logical property, a name, a comment, or sizes that are the same on both sides', () => {
    const sheet = `/* left: 0; */ .left { margin-inline-start: 4px; inset-inline-end: 0; text-align: start; margin: 0 8px 4px 8px; }
@media (max-width: 700px) { .right:hover { padding: 0 4px } }`
    expect(linesOf('a.module.css', sheet)).toEqual([])
  })

  test.each([
    '<Box ml="sm" />',
    '<Box style={{ paddingLeft: 4 }} />',
    "<Box style={{ textAlign: 'left' }} />",
    '<Drawer position="right" />',
    '<Menu position={"left-start"} />',
    '<i style={{ left }} />',
  ])('is refused in a component: %s', (element) => {
    expect(linesOf('a.tsx', `const a = (\n  ${element}\n)`)).toEqual([2])
  })

  test('is none in what Mantine mirrors, in a chart, or outside the dashboard', () => {
    expect(linesOf('a.tsx', '<Menu leftSection={sign} position="bottom-end"><p>left</p></Menu>')).toEqual([])
    expect(linesOf('chart.tsx', "import { Group } from '@visx/group'\nconst a = <Group left={4} />")).toEqual([])
    expect(findDirections('packages/a/src/a.css', 'a { left: 0 }')).toEqual([])
  })
})
