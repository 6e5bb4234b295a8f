import { createCommandRunner } from '@tidings/commands'
import { Refused, senderIds, senderIdsStream, wallet, walletStream } from '@tidings/domain'
import { createProvisioner } from '@tidings/provisioning'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', 'credits: 1000')
})
afterAll(() => world.stop())

/** Two operators whose processes know nothing of each other. However often one loses against the other, it tries again. */
const operators = () =>
  [0, 1].map(() => createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: Number.POSITIVE_INFINITY })))

it('credits that two operators add at once are all there', async () => {
  const { id } = acme.applied.workspace
  const add = (n: string) => ({ type: 'AddCredits', data: { commandId: n, amount: 7, note: null } }) as const
  const both = operators()
  await Promise.all(
    both.flatMap((to, of) => Array.from({ length: 40 }, (_, n) => to.execute(id, wallet, walletStream(id), add(`${of}.${n}`)))),
  )
  const [one] = operators()
  expect(await one?.load(id, wallet, walletStream(id))).toMatchObject({ balance: 1_000 + 2 * 40 * 7, held: 0, credited: true })
})

it('a new wallet that two operators fill at once is filled once', async () => {
  const { id } = (await world.workspace('fresh')).applied.workspace
  const fill = { type: 'FillNewWallet', data: { amount: 500 } } as const
  await Promise.all(operators().map((to) => to.execute(id, wallet, walletStream(id), fill)))
  const [one] = operators()
  expect(await one?.load(id, wallet, walletStream(id))).toMatchObject({ balance: 500 })
})

it('a sender ID that two operators set at once, each in a casing of their own, is one', async () => {
  const { id } = acme.applied.workspace
  const names = ['Sunny', 'SUNNY', 'sunny', 'sUnNy']
  const both = operators()
  const set = (senderId: string) => ({ type: 'ConfigureSenderId', data: { senderId, status: 'approved' } }) as const
  await Promise.all(both.flatMap((to) => names.map((name) => to.execute(id, senderIds, senderIdsStream(id), set(name)))))
  const [one] = operators()
  expect(await one?.load(id, senderIds, senderIdsStream(id))).toEqual([{ senderId: expect.stringMatching(/^sunny$/i), status: 'approved' }])
})

it('of an approval and a rejection at once, the state is that of the last', async () => {
  const { id } = acme.applied.workspace
  const stream = senderIdsStream(id)
  const [one, other] = operators()
  await one?.execute(id, senderIds, stream, { type: 'ConfigureSenderId', data: { senderId: 'RACE', status: 'pending' } })
  const [approval, rejection] = await Promise.allSettled([
    one?.execute(id, senderIds, stream, { type: 'ApproveSenderId', data: { senderId: 'RACE' } }),
    other?.execute(id, senderIds, stream, { type: 'RejectSenderId', data: { senderId: 'RACE', reason: null } }),
  ])
  expect(rejection.status).toBe('fulfilled')
  // An approval after the rejection is answered: it must be asked for again.
  if (approval.status === 'rejected') expect(approval.reason).toBeInstanceOf(Refused)
  const [operator] = operators()
  const race = (await operator?.load(id, senderIds, stream))?.find(({ senderId }) => senderId === 'RACE')
  expect(race?.status).toBe('rejected')
})
