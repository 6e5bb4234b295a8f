import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEPLOY, linter, ROOT, run } from './tools.ts'

const hadolint = linter('hadolint')
const dockerfile = readFileSync(`${DEPLOY}Dockerfile`, 'utf8')

it('runs as a user who is not root, by number', () => {
  expect(dockerfile).toMatch(/^USER [1-9]\d*$/m)
})

it('is made of what the tree is made of, and of nothing else', () => {
  const wanted = /-cf - [\s\S]*?\\\n {2}(package\.json .*) \|/.exec(readFileSync(`${DEPLOY}build-image-tree.sh`, 'utf8'))?.[1]?.split(' ')
  const letIn = readFileSync(`${DEPLOY}Dockerfile.dockerignore`, 'utf8').match(/(?<=^!).+$/gm)
  expect([...(wanted ?? []), 'deploy/build-image-tree.sh'].sort()).toEqual([...(letIn ?? [])].sort())
  expect(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).scripts.start).toContain('--max-semi-space-size=16')
  expect(dockerfile).toMatch(/^ENV .*NODE_OPTIONS=--max-semi-space-size=16$/m)
  expect(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')).scripts.start).toContain('MALLOC_ARENA_MAX=2')
  expect(dockerfile).toMatch(/^ENV .*MALLOC_ARENA_MAX=2 /m)
})

describe.runIf(hadolint !== null)('by hadolint', () => {
  it('has nothing to mend', async () => {
    expect(await run(hadolint ?? '', ['--format', 'tty', `${DEPLOY}Dockerfile`])).toBe('')
  })
})
