import { expect, test } from 'vitest'
import { positionIn } from '../../src/postgres/postgres-store.ts'

test('a notification gives the position in its payload, and 0 where there is none', () => {
  expect(positionIn('42')).toBe(42n)
  for (const payload of ['', 'x', '-1', '1.5', '0x10', ' 7', '9'.repeat(40)]) expect(positionIn(payload)).toBe(0n)
})
