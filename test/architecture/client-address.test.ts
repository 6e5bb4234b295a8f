import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCES = ['command-api', 'query-api', 'dashboard-api', 'consumers', 'projectors', 'packages'].map((folder) => `${folder}/**/*.ts`)
/** Fastify's own `ip`, `ips` and the header itself: texts that a caller writes (M50). */
const UNREAD = /\brequest\.ips?\b|\{[^{}]*\bips?\b[^{}]*\}(\s*:\s*FastifyRequest|\s*=\s*request\b)|trustProxy:\s*(true|function)/
const HEADER = /['"]x-forwarded-for['"]/i

async function filesThatMatch(pattern: RegExp): Promise<readonly string[]> {
  const found: string[] = []
  for await (const file of glob(SOURCES, { cwd: ROOT, exclude: (name) => name === 'node_modules' })) {
    if (/\.(test|fixture|testing)\.ts$/.test(file)) continue
    if (pattern.test(await readFile(ROOT + file, 'utf8'))) found.push(file)
  }
  return found
}

test('the address of a caller is read in one place', async () => {
  expect(await filesThatMatch(HEADER)).toEqual(['packages/http/src/client/client-address.ts'])
  expect(await filesThatMatch(UNREAD)).toEqual([])
})

test.each(['const { body, ip } = request', 'f(request.ip)', 'keyOf: ({ ip }: FastifyRequest) => ip'])('it would be seen: %s', (line) => {
  expect(line).toMatch(UNREAD)
})
