import { expect, test } from 'vitest'
import { isRequired, leftOut } from './left-out.ts'

test('a suite that nobody requires is left out', () => {
  expect(leftOut('eventstoredb', 'Docker does not answer.', { TIDINGS_TEST_REQUIRE: 'kafka' })).toBe(false)
})

test('a required suite that cannot run is a failure that says why', () => {
  const env = { TIDINGS_TEST_REQUIRE: 'kafka, eventstoredb' }
  expect(isRequired('eventstoredb', env)).toBe(true)
  expect(() => leftOut('eventstoredb', 'Docker does not answer.', env)).toThrow(
    'The eventstoredb tests are left out: Docker does not answer. TIDINGS_TEST_REQUIRE asks for them.',
  )
})
