import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEPLOY, linter, run } from './tools.ts'

const hadolint = linter('hadolint')
const dockerfile = readFileSync(`${DEPLOY}Dockerfile`, 'utf8')

it('runs as a user who is not root, by number', () => {
  expect(dockerfile).toMatch(/^USER [1-9]\d*$/m)
})

it('is made of what the tree is made of, and of nothing else', () => {
  const script = readFileSync(`${DEPLOY}build-image-tree.sh`, 'utf8')
  const copied = [...script.matchAll(/-cf - [\s\S]*?\\\n {2}(package\.json .*) \|/g)].flatMap(([, names = '']) => names.split(' '))
  const letIn = readFileSync(`${DEPLOY}Dockerfile.dockerignore`, 'utf8').match(/(?<=^!).+$/gm)
  expect([...new Set([...copied, 'deploy/build-image-tree.sh'])].sort()).toEqual([...(letIn ?? [])].sort())
})

describe.runIf(hadolint !== null)('by hadolint', () => {
  it('has nothing to mend', async () => {
    expect(await run(hadolint ?? '', ['--format', 'tty', `${DEPLOY}Dockerfile`])).toBe('')
  })
})
