import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import { asMessageId, MAX_HOLDER_LENGTH, MAX_OPEN_HOLDS, REMEMBERED_COMMANDS, wallet, walletStream } from '@tidings/domain'
import { expect, it } from 'vitest'
import { createWallets } from '../src/wallets.ts'

const { workspaceId } = contextOf('any')
const uuid = (n: number) => `0192f0c1-0000-7000-8000-${String(n).padStart(12, '0')}`

it('a wallet with as many holds as it may have says busy, and is not read again for every batch', async () => {
  const model = modelLog()
  const commands = createCommandRunner({ log: model.log })
  const wallets = createWallets({ commands, gapMs: 0 })
  for (let n = 0; n < REMEMBERED_COMMANDS; n++) {
    const command = { type: 'AddCredits', data: { commandId: uuid(n), amount: 100_000, note: null } } as const
    await commands.execute({ decider: wallet, stream: walletStream(workspaceId), command, context: contextOf(`${n}`) })
  }
  const holder = 'h'.repeat(MAX_HOLDER_LENGTH)
  const messages = Array.from({ length: MAX_OPEN_HOLDS + 1 }, (_, n) => ({ messageId: asMessageId(uuid(n)), amount: 12 }))
  const results = [...(await wallets.hold({ workspaceId, holder, messages })).values()]
  expect(Map.groupBy(results, (result) => result).get('busy')).toHaveLength(1)
  model.calls.length = 0
  await wallets.settle({ workspaceId, holds: [{ messageId: asMessageId(uuid(0)), holder }] })
  await wallets.settle({ workspaceId, holds: [{ messageId: asMessageId(uuid(1)), holder }] })
  expect(model.calls).toEqual(Array(2).fill(`append ${walletStream(workspaceId)}`))
})

it('a holder whose name would make the balance too large to carry forward is refused', async () => {
  const wallets = createWallets({ commands: createCommandRunner({ log: modelLog().log }) })
  const order = { workspaceId, messages: [{ messageId: asMessageId('m'), amount: 1 }] }
  for (const holder of ['', 'h'.repeat(MAX_HOLDER_LENGTH + 1)]) await expect(wallets.hold({ ...order, holder })).rejects.toThrow(RangeError)
})
