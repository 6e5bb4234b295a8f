import { expect, it } from 'vitest'
import { type FlowReferences, flowDefinition } from '../../src/workspace-file/flow-definition.ts'

const NOTHING: FlowReferences = {
  where: '',
  list: async () => undefined,
  template: async () => undefined,
  senderAddress: () => undefined,
  senderId: () => undefined,
  isApproved: () => false,
}

// An object with this name in its source looks like a promise to the linter.
const THEN = 'then'

const flowWith = (characters: number) => {
  const value = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(characters, 'ש'))
  const branch = { rule: { all: [{ field: 'firstName', op: 'in', value }] }, [THEN]: [{ wait: { minutes: 1 } }] }
  return flowDefinition({ trigger: { type: 'contact_created' }, steps: [{ branch }] }, NOTHING)
}

it('a flow is refused that would fill the memory of every process, in bytes of what is stored', async () => {
  await expect(flowWith(330)).rejects.toThrow(/^steps must have at most 65536 bytes of JSON together/)
  expect((await flowWith(300)).steps).toHaveLength(1)
})
