import { randomUUID } from 'node:crypto'
import { asMessageId, asWorkspaceId } from '@tidings/domain'
import { afterAll, beforeAll, describe } from 'vitest'
import { closingScenarios } from './closing.ts'
import { everyProviderScenarios } from './every-provider.ts'
import { fairnessScenarios } from './fairness.ts'
import { CALL_MS, type Harness, RATED_CALL_MS, type Sending, SHORT_CALL_MS } from './harness.ts'
import { otherSideScenarios } from './other-side.ts'
import { rateScenarios } from './rate.ts'

/** `callMs`: what a call of the provider may take. `hasOtherSide`: whether the harness has one; scenarios are registered before it is opened. */
export type Adapter<Opened> = Readonly<{ open: (callMs: number) => Promise<Opened>; hasOtherSide: boolean }>

export function newIds() {
  return { workspaceId: asWorkspaceId(randomUUID()), messageId: asMessageId(randomUUID()) }
}

/** Opens the adapter for the scenarios that `register` registers, and closes it after them. They mostly wait: the contracts of one file run at once, the scenarios of each in turn. */
export function contract<Opened extends Readonly<{ close: () => Promise<void> }>>(
  title: string,
  { open }: Adapter<Opened>,
  register: (harness: () => Opened) => void,
): void {
  describe(title, { concurrent: true }, () => {
    let opened: Opened | undefined
    beforeAll(async () => {
      opened = await open(CALL_MS)
    })
    afterAll(() => opened?.close())
    describe('in turn', { concurrent: false }, () =>
      register(() => {
        if (opened === undefined) throw new Error('the adapter did not open')
        return opened
      }),
    )
  })
}

type SharedProvider = Readonly<{ outage: () => string | null; close: () => Promise<void> }>

/** `sendBy`: how the provider of a harness is given a message. `carriesPasscodes`: whether passcodes go by it. */
type SharedScenarios<Opened> = Readonly<{
  harness: () => Opened
  adapter: Adapter<Opened>
  sendBy: (harness: Opened) => Sending['send']
  carriesPasscodes: boolean
}>

/** Registers what holds for email, text messages and calls alike. */
export function sharedScenarios<Opened extends Harness<SharedProvider>>(shared: SharedScenarios<Opened>): void {
  const { harness, adapter, sendBy, carriesPasscodes } = shared
  const sendingOf = (opened: Opened): Sending => ({ send: sendBy(opened), provider: opened.provider, harness: opened })
  const sending = () => sendingOf(harness())
  everyProviderScenarios(sending)
  if (!adapter.hasOtherSide) return
  const openRated = async () => sendingOf(await adapter.open(RATED_CALL_MS))
  otherSideScenarios(sending, { openShort: async () => sendingOf(await adapter.open(SHORT_CALL_MS)), openRated })
  fairnessScenarios(sending, { carriesPasscodes })
  rateScenarios(openRated)
  closingScenarios(async () => sendingOf(await adapter.open(CALL_MS)))
}
