import { glob, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PRODUCT = ['domain', 'command-api', 'query-api', 'dashboard-api', 'consumers', 'projectors', 'packages/*']
/** An import or export that is there when the program runs, of a package of the workspace. */
const VALUES = /^(?:import|export) (?!type )[^;'"]*?from '(@tidings\/[^/']+)/gm

const namesIn = (source: string): readonly string[] => [...source.matchAll(VALUES)].map(([, name = '']) => name)

test('what the product of a package takes of another is not left out of a production install', async () => {
  const missing: string[] = []
  for await (const manifest of glob(
    PRODUCT.map((folder) => `${folder}/package.json`),
    { cwd: ROOT },
  )) {
    const { name, dependencies = {} } = JSON.parse(await readFile(ROOT + manifest, 'utf8')) as {
      name: string
      dependencies?: Record<string, string>
    }
    for await (const file of glob(`${dirname(manifest)}/src/**/*.ts`, { cwd: ROOT, exclude: (entry) => entry === 'node_modules' })) {
      if (/\.(test|fixture|testing)\.ts$|\/testing\//.test(file) || name === '@tidings/testing') continue
      for (const other of namesIn(await readFile(ROOT + file, 'utf8')))
        if (other !== name && dependencies[other] === undefined) missing.push(`${file}: ${other}`)
    }
  }
  expect(missing).toEqual([])
})

test.each([
  ["import { a, type B } from '@tidings/domain'", ['@tidings/domain']],
  ["export { a } from '@tidings/jobs/leases'", ['@tidings/jobs']],
  ["import type { B } from '@tidings/domain'", []],
])('it would be seen: %s', (line, names) => {
  expect(namesIn(line)).toEqual(names)
})
