import { expect, it } from 'vitest'
import { ApiProblem } from '../../src/api/client.ts'
import { isRemembered } from '../../src/ui/use-submit-key.ts'

const problem = (status: number, code: string | null = null) => new ApiProblem({ status, message: 'no', code })

it.each([
  ['a refusal', problem(409, 'template_name_taken'), true],
  ['a body that is no request', problem(400), true],
  ['no answer', problem(0), false],
  ['a proxy that waited no longer', problem(504), false],
  ['a server that is busy', problem(503), false],
  ['a caller who is too quick', problem(429), false],
  ['the first press, which is still under way', problem(409, 'idempotency_in_progress'), false],
])('after %s, the next press has a new key: %#', (_, error, expected) => {
  expect(isRemembered(error)).toBe(expected)
})
