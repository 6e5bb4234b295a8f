import { execFile } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PRODUCT = ['domain', 'command-api', 'query-api', 'dashboard-api', 'consumers', 'projectors', 'packages/*']
/** They do something when they are loaded: the program, what is started as a thread, and the servers of tests. */
const PROGRAMS = /^packages\/cli\/src\/main\.ts$|\.thread\.ts$|^packages\/testing\//

const LOAD = `for (const file of process.argv.slice(1)) {
  await import(file).catch((error) => console.log(file + ': ' + error.message))
}
process.exit(0)`

// The bundler of the tests finds names in a CommonJS library that Node does not find, and what is loaded late is loaded by no test of a start.
test('every module of the product loads in Node itself', async () => {
  const files: string[] = []
  for await (const file of glob(
    PRODUCT.map((folder) => `${folder}/src/**/*.ts`),
    { cwd: ROOT },
  ))
    if (!PROGRAMS.test(file)) files.push(`${ROOT}${file}`)
  expect(files.length).toBeGreaterThan(1_000)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', LOAD, ...files], { cwd: ROOT })
  expect(stdout).toBe('')
})
