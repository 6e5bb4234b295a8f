import { afterAll, beforeAll, describe } from 'vitest'
import { appendScenarios } from './append.ts'
import { batchScenarios } from './batches.ts'
import { byStreamScenarios } from './by-stream.ts'
import { concurrencyScenarios } from './concurrency.ts'
import type { Capabilities, Harness, Suite } from './harness.ts'
import { idempotencyScenarios } from './idempotency.ts'
import { matchingScenarios } from './matching.ts'
import { readScenarios } from './read.ts'
import { subscriptionScenarios } from './subscribing.ts'
import { togetherScenarios } from './together.ts'

export type { Capabilities, Harness } from './harness.ts'

/** Registers every scenario that the adapter's capabilities allow, over one opened store. Nothing in it asserts a duration. */
export function eventStoreContract(
  name: string,
  { open, capabilities }: Readonly<{ open: () => Promise<Harness>; capabilities: Capabilities }>,
): void {
  describe(`${name} keeps the contract of an event store`, () => {
    let opened: Harness | undefined
    const harness = (): Harness => {
      if (opened === undefined) throw new Error(`${name} did not open`)
      return opened
    }
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened?.close())
    const suite: Suite = { capabilities, harness, store: () => harness().store }
    appendScenarios(suite)
    idempotencyScenarios(suite)
    batchScenarios(suite)
    if (capabilities.appendsTogether) togetherScenarios(suite)
    concurrencyScenarios(suite)
    readScenarios(suite)
    if (capabilities.readsMatching) matchingScenarios(suite)
    if (capabilities.readsByStream) byStreamScenarios(suite)
    subscriptionScenarios(suite)
  })
}
