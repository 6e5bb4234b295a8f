import { createSecretKey } from 'node:crypto'
import { type EventLog, memoryKeyRing } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import type { ModelLog } from '@tidings/commands/testing'
import type { SendOptions } from '@tidings/providers'
import { createWallets } from '@tidings/wallet'
import { createPasscodeDigests } from '../../src/passcode-digests.ts'
import type { SendingParts } from '../../src/send-passcode.ts'

/** The process died: nothing of it goes on. */
export class Died extends Error {}

/** The call to the log or a provider at which a process dies, and whether that call had its effect. */
export type Death = Readonly<{ at: number; after: boolean }>

export const NEVER: Death = { at: Number.POSITIVE_INFINITY, after: false }

const KEY = createSecretKey(Buffer.alloc(32, 7))
export const digests = createPasscodeDigests(() => [() => KEY])

/** What a provider does with a message. */
export type ProviderAnswer = () => Promise<Readonly<{ providerMessageId: string }>>

/** A process with caches of its own over the model of a log; `together`: its log can append to several streams. */
export function startProcess(model: ModelLog, options: Readonly<{ death?: Death; together?: boolean; answer: ProviderAnswer }>) {
  const { death = NEVER, together = true, answer } = options
  let calls = 0
  const begin = (): void => {
    calls++
    if (calls > death.at || (calls === death.at && !death.after)) throw new Died()
  }
  const end = (): void => {
    if (calls >= death.at) throw new Died()
  }
  const through = model.through(async (_, act) => {
    begin()
    const result = act()
    end()
    return result
  })
  const take: ProviderAnswer = async () => {
    begin()
    const result = await answer()
    end()
    return result
  }
  const log: EventLog = together ? through : { ...through, appendTogether: undefined }
  const commands = createCommandRunner({ log })
  const fenced = async (_: unknown, { fence }: Pick<SendOptions, 'fence'>) => {
    await fence()
    return await take()
  }
  const provider = { name: 'model', callMs: 1, outage: () => null, close: async () => undefined }
  const parts: SendingParts = {
    commands,
    wallets: createWallets({ commands, gapMs: 0 }),
    keyRing: memoryKeyRing(),
    digests,
    providers: { sms: { ...provider, send: fenced }, voice: { ...provider, call: fenced } },
    ownNumberOf: () => null,
    onCall: () => undefined,
    onFault: () => undefined,
    // The provider took a minute.
    now: () => '2026-01-01T00:01:00.000Z',
  }
  return { log, parts }
}
