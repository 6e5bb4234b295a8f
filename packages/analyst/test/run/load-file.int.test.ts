import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const LOADER = new URL('../../src/run/load-file.ts', import.meta.url).href

/** Files of one folder, and the hash that a process of its own finds for `main.ts`. */
const folderOf = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-load-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const program = `const { loadFile } = await import(${JSON.stringify(LOADER)})
    console.log((await loadFile(process.argv[1])).hash)`
  const hash = (): string =>
    execFileSync(process.execPath, ['--input-type=module', '--eval', program, join(folder, 'main.ts')], { encoding: 'utf8' }).trim()
  return { write, hash }
}

const MAIN = `import { projection } from '@tidings/analyst'
import { types } from './lib/types.ts'
import { later } from 'some-library'
export default projection({ name: 'x', events: types, applyBatch: async () => later })`

const FILES = {
  'main.ts': MAIN,
  'lib/types.ts': `import list from './list.json' with { type: 'json' }\nexport const types: string[] = list`,
  'lib/list.json': `["ContactCreated"]`,
  'node_modules/some-library/package.json': `{ "name": "some-library", "type": "module", "main": "index.js" }`,
  'node_modules/some-library/index.js': `import './inner.js'\nexport const later = 1`,
  'node_modules/some-library/inner.js': '',
}

test('the hash is of the file and of every file of its own that it imports, wherever they lie', () => {
  const [one, same] = [folderOf(FILES), folderOf(FILES)]
  const first = one.hash()
  expect(same.hash()).toBe(first)
  one.write('node_modules/some-library/inner.js', '1')
  expect(one.hash()).toBe(first)
  one.write('lib/list.json', `["EmailOpened"]`)
  const second = one.hash()
  one.write('lib/list.json', FILES['lib/list.json'])
  expect(one.hash()).toBe(first)
  one.write('lib/types.ts', `${FILES['lib/types.ts']}\n`)
  expect(new Set([first, second, one.hash()]).size).toBe(3)
})
