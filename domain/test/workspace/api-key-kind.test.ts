import { expect, it } from 'vitest'
import { apiKeyKind, apiKeyPrefix } from '../../src/workspace/workspace-state.ts'

it.each(['secret', 'publishable'] as const)('a key that is %s says so itself, whole and by its prefix', (kind) => {
  const key = `${apiKeyPrefix(kind)}${'0'.repeat(64)}`
  expect(apiKeyKind(key)).toBe(kind)
  expect(apiKeyKind(key.slice(0, 15))).toBe(kind)
})
