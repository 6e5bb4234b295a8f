import type { Recorded } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import { asMessageId, type WalletEvent, wallet, walletStream } from '@tidings/domain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createCreditView } from '../src/credit-view.ts'
import { createWallets } from '../src/wallets.ts'

const { workspaceId } = contextOf('any')

const stage = (follow = true) => {
  const model = modelLog()
  const commands = createCommandRunner({ log: model.log })
  const view = createCreditView(createCommandRunner({ log: model.log }))
  const place = { commit: -1n, prepare: 0n }
  if (follow) view.attach?.({ isCaughtUp: () => true, since: () => place, position: () => place, hasPassed: async () => true })
  let followed = 0
  /** Applies what was written since the last time. */
  const catchUp = () => {
    const events = model.events<WalletEvent>(walletStream(workspaceId))
    for (const event of events.slice(followed)) view.apply(event as Recorded)
    followed = events.length
  }
  const add = (amount: number, commandId: string) => {
    const command = { type: 'AddCredits', data: { commandId, amount, note: null } } as const
    return commands.execute({ decider: wallet, stream: walletStream(workspaceId), command, context: contextOf(commandId) })
  }
  return { model, view, add, catchUp, wallets: createWallets({ commands, gapMs: 0 }) }
}

it('what is neither spent nor held is known without a read, once the wallet is', async () => {
  const { model, view, add, catchUp, wallets } = stage()
  await add(10, 'c1')
  expect(await view.available(workspaceId)).toBe(10)
  await wallets.hold({ workspaceId, holder: 'h', messages: [{ messageId: asMessageId('m'), amount: 4 }] })
  catchUp()
  const reads = model.calls.length
  expect(view.available(workspaceId)).toBe(6)
  expect(model.calls.length).toBe(reads)
})

it('where the log is not followed, each question is answered by the log', async () => {
  const { view, add } = stage(false)
  expect(await view.available(workspaceId)).toBe(0)
  await add(10, 'c1')
  expect(await view.available(workspaceId)).toBe(10)
})

it('what a new read finds is newer than what was followed', async () => {
  const { view, add, catchUp } = stage()
  await add(1, 'c1')
  catchUp()
  await add(5, 'c2')
  expect(view.available(workspaceId)).toBe(1)
  expect(await view.availableNow(workspaceId)).toBe(6)
})

const steps = fc.array(
  fc.oneof(
    fc.record({ does: fc.constant('add' as const), amount: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ does: fc.constantFrom('hold' as const, 'settle' as const, 'release' as const), amount: fc.integer({ min: 1, max: 4 }) }),
  ),
  { maxLength: 40 },
)

it('whatever happens to a wallet, the view follows it', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { view, add, catchUp, wallets } = stage()
      for (const [n, { does, amount }] of all.entries()) {
        const messageId = asMessageId(`m${amount}`)
        if (does === 'add') await add(amount, `c${n}`)
        else if (does === 'hold') await wallets.hold({ workspaceId, holder: `h${n % 2}`, messages: [{ messageId, amount }] })
        else await wallets[does]({ workspaceId, holds: [{ messageId, holder: `h${n % 2}` }] })
        catchUp()
        expect(await view.available(workspaceId)).toBe((await wallets.balanceOf(workspaceId)).available)
      }
    }),
    { numRuns: 50 },
  )
})
