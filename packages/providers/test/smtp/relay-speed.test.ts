import { expect, test } from 'vitest'
import { RelaySpeed } from '../../src/smtp/smtp-pipeline.ts'

test('a relay is quick until it was seen to be slow, and again when it answers quickly', () => {
  const speed = new RelaySpeed()
  expect(speed.isQuick()).toBe(true)
  speed.note(2_000)
  expect(speed.isQuick()).toBe(false)
  for (let n = 0; n < 10; n++) speed.note(5)
  expect(speed.isQuick()).toBe(true)
})
