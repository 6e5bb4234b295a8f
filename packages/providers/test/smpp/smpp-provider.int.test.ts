import { setTimeout as sleep } from 'node:timers/promises'
import { asWorkspaceId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import { statusCode } from '../../src/smpp/pdu.ts'
import { LONG, message, opened, receiptOf, smsc } from './open-provider.ts'

describe('a message', () => {
  test('is submitted with its alphabet, addresses and the wish for a receipt', async () => {
    const server = await smsc()
    const { send } = opened(server.url)
    await expect(send()).resolves.toEqual({ providerMessageId: 'smsc-0', response: 'ESME_ROK' })
    await send({ from: '+4915299', body: 'שלום 😀' })
    await send({ from: '88000' })
    await send({ ownNumber: () => '+972501110000' })
    expect(server.submitted.map(({ from, to, text }) => [from, to, text])).toEqual([
      ['Acme', '491701234567', 'Hello {name}, 5 € off'],
      ['4915299', '491701234567', 'שלום 😀'],
      ['88000', '491701234567', 'Hello {name}, 5 € off'],
      ['972501110000', '491701234567', 'Hello {name}, 5 € off'],
    ])
    const wire = ['source_addr_ton', 'source_addr_npi', 'dest_addr_ton', 'dest_addr_npi', 'data_coding', 'registered_delivery', 'esm_class']
    expect(server.submitted.map(({ fields }) => wire.map((field) => fields[field]))).toEqual([
      [5, 0, 1, 1, 0, 1, 0],
      [1, 1, 1, 1, 8, 1, 0],
      [3, 0, 1, 1, 0, 1, 0],
      [1, 1, 1, 1, 0, 1, 0],
    ])
  })

  test('is fenced right before it is written, and handed over right after', async () => {
    const server = await smsc()
    const { send } = opened(server.url)
    const order: string[] = []
    server.rules.submit = () => {
      order.push('submitted')
      return 0
    }
    await send({}, { fence: async () => void order.push('fence'), handedOver: () => order.push('handed over') })
    expect(order).toEqual(['fence', 'handed over', 'submitted'])
    const lost = new Error('the lease is lost')
    await expect(send({}, { fence: () => Promise.reject(lost) })).rejects.toBe(lost)
    expect(server.submitted).toHaveLength(1)
  })

  test('whose sending is cancelled while it waits is not submitted', async () => {
    const server = await smsc()
    const { send } = opened(`${server.url}?window=1`)
    server.rules.submit = () => 'stall'
    const first = send()
    await until(() => expect(server.submitted).toHaveLength(1))
    const stop = new AbortController()
    const second = send({}, { signal: stop.signal })
    stop.abort()
    await expect(second).rejects.toMatchObject({ failure: 'outage' })
    await expect(first).rejects.toMatchObject({ failure: 'unconfirmed' })
    expect(server.submitted).toHaveLength(1)
  })

  test('with a sender that SMPP cannot write is refused', async () => {
    const server = await smsc()
    await expect(opened(server.url).send({ from: 'Ac\u0000me' })).rejects.toMatchObject({ failure: 'refused' })
  })
})

describe('a long message', () => {
  test('has an id for each of its parts, which are stored before it counts as sent', async () => {
    const server = await smsc()
    const { send, submitted, receipts } = opened(server.url)
    await expect(send({ body: LONG })).resolves.toEqual({ providerMessageId: 'smsc-0,smsc-1,smsc-2', response: 'ESME_ROK' })
    const { workspaceId, messageId } = message
    expect(submitted).toEqual([{ workspaceId, messageId, partIds: ['smsc-0', 'smsc-1', 'smsc-2'] }])
    expect(server.submitted.map(({ text }) => text).join('')).toBe(LONG)
    const references = server.submitted.map(({ udh }) => [...(udh[0] ?? [])])
    const reference = references[0]?.[2]
    expect(references).toEqual([1, 2, 3].map((number) => [0, 3, reference, 3, number]))
    for (const id of ['smsc-2', 'smsc-0', 'smsc-2']) expect(await server.deliver(receiptOf(id, 'DELIVRD'))).toBe(0)
    expect(receipts.map(({ partId }) => partId)).toEqual(['smsc-2', 'smsc-0', 'smsc-2'])
  })

  test('of a transactional text is transactional in all of its parts: they go before the marketing of other workspaces', async () => {
    const server = await smsc()
    const { send } = opened(`${server.url}?window=3`)
    const gate = Promise.withResolvers<0>()
    server.rules.submit = () => gate.promise
    const to = (n: number) => `+49170000${String(n).padStart(4, '0')}`
    const campaigns = Array.from({ length: 20 }, (_, n) =>
      send({ to: to(n), workspaceId: asWorkspaceId(`w${n}`) }, { priority: 'marketing' }),
    )
    await until(() => expect(server.submitted.length).toBeGreaterThan(0))
    const order = send({ to: to(100), body: LONG })
    await until(() => expect(server.submitted.some((one) => `+${one.to}` === to(100))).toBe(true))
    const before = server.submitted.length
    gate.resolve(0)
    await Promise.all([...campaigns, order])
    const after = server.submitted.slice(before).map((one) => `+${one.to}`)
    // A slot that is free before the first part is answered goes to a campaign.
    const last = after.lastIndexOf(to(100))
    expect(after.filter((one) => one === to(100))).toHaveLength(2)
    expect(after.slice(0, last).filter((one) => one !== to(100)).length).toBeLessThan(4)
  })

  test('leaves whole from the number of its first part, whatever is changed meanwhile', async () => {
    const server = await smsc()
    const { send } = opened(server.url)
    let number = '+972501110000'
    server.rules.submit = () => {
      number = '+972502220000'
      return 0
    }
    await send({ body: LONG, ownNumber: () => number })
    expect(server.submitted.map(({ from, fields }) => [from, fields.source_addr_ton])).toEqual(
      Array.from({ length: 3 }, () => ['972501110000', 1]),
    )
  })

  test('is sent also where its ids cannot be stored', async () => {
    const server = await smsc()
    const { send, warnings } = opened(server.url, { onSubmitted: () => Promise.reject(new Error('the database is away')) })
    await expect(send()).resolves.toEqual({ providerMessageId: 'smsc-0', response: 'ESME_ROK' })
    expect(warnings).toHaveLength(1)
  })

  test('whose first part is refused is not sent any further', async () => {
    const server = await smsc()
    server.rules.submit = () => statusCode('ESME_RINVDSTADR')
    await expect(opened(server.url).send({ body: LONG })).rejects.toMatchObject({
      failure: 'recipient',
      response: 'ESME_RINVDSTADR (0x0B)',
    })
    expect(server.submitted).toHaveLength(1)
  })

  test('that has begun is carried through, before what else its workspace has waiting', async () => {
    const server = await smsc()
    const { send } = opened(`${server.url}?window=1`)
    const closed = new Error('the campaign was cancelled')
    let isClosed = false
    const fence = () => (isClosed ? Promise.reject(closed) : undefined)
    server.rules.submit = () => {
      isClosed = true
      return 0
    }
    const long = send({ body: LONG }, { fence })
    const others = Promise.allSettled([1, 2, 3].map((n) => send({ to: `+4917012345${n}0` }, { fence })))
    expect((await long).providerMessageId.split(',')).toHaveLength(3)
    expect((await others).map((one) => one.status === 'rejected' && one.reason)).toEqual([closed, closed, closed])
    expect(server.submitted).toHaveLength(3)
  })

  test('that loses its connection between the parts is unconfirmed', async () => {
    const server = await smsc()
    server.rules.submit = () => (server.submitted.length === 2 ? 'cut' : 0)
    await expect(opened(`${server.url}?window=1`).send({ body: LONG })).rejects.toMatchObject({ failure: 'unconfirmed' })
  })

  test('of which the SMSC takes the first part, and the next ones later, says that a part was taken', async () => {
    const server = await smsc()
    server.rules.submit = () => (server.submitted.length === 1 ? 0 : statusCode('ESME_RSYSERR'))
    const response = expect.stringContaining('ESME_RSYSERR')
    await expect(opened(server.url).send({ body: LONG })).rejects.toMatchObject({ failure: 'temporary', isPartlyTaken: true, response })
    server.rules.submit = () => statusCode('ESME_RSYSERR')
    await expect(opened(server.url).send({ body: LONG })).rejects.toMatchObject({ failure: 'temporary', isPartlyTaken: false })
  })
})

describe('what an SMSC says no with', () => {
  test.each([
    ['ESME_RINVDSTADR', 'recipient'],
    ['ESME_RINVSRCADR', 'refused'],
    ['ESME_RX_P_APPN', 'refused'],
    ['ESME_RSYSERR', 'temporary'],
    ['ESME_RSUBMITFAIL', 'temporary'],
    ['ESME_RX_T_APPN', 'temporary'],
  ])('%s means %s', async (name, failure) => {
    const server = await smsc()
    server.rules.submit = () => statusCode(name)
    await expect(opened(server.url).send()).rejects.toMatchObject({ failure, response: expect.stringContaining(name) })
  })

  test('a status of the vendor may pass', async () => {
    const server = await smsc()
    server.rules.submit = () => 0x4_11
    await expect(opened(server.url).send()).rejects.toMatchObject({ failure: 'temporary', response: '0x411' })
  })

  test('throttling delays the message and uses up no try', async () => {
    const server = await smsc()
    const answers = ['ESME_RTHROTTLED', 'ESME_RMSGQFUL', 'ESME_RTHROTTLED'].map(statusCode)
    server.rules.submit = () => answers.shift() ?? 0
    const { send, outages } = opened(server.url)
    await send()
    expect(server.submitted).toHaveLength(4)
    expect(outages).toEqual([])
  })

  test('throttling that does not end fails the message for now, after a bounded number of submits', async () => {
    const server = await smsc()
    server.rules.submit = () => statusCode('ESME_RTHROTTLED')
    await expect(opened(server.url, { callMs: 5_000 }).send()).rejects.toMatchObject({ failure: 'temporary' })
    expect(server.submitted).toHaveLength(6)
  })

  test('a full queue of one number fails its message for now, and all others go meanwhile', async () => {
    const server = await smsc()
    server.rules.submit = ({ to }) => (to.endsWith('0000') ? statusCode('ESME_RMSGQFUL') : 0)
    const { send, outages } = opened(server.url)
    const full = send({ to: '+491701230000' }).catch((error: unknown) => error)
    await Promise.all(Array.from({ length: 100 }, (_, n) => send({ to: `+4917012${1_000 + n}` })))
    expect(await full).toMatchObject({ failure: 'temporary', response: expect.stringContaining('ESME_RMSGQFUL') })
    expect(server.submitted.filter(({ to }) => to.endsWith('0000'))).toHaveLength(6)
    expect(server.taken()).toHaveLength(100)
    expect(outages).toEqual([])
  })

  test('an answer of no bound session to one number ends no session that takes others', async () => {
    const server = await smsc()
    server.rules.submit = ({ to }) => (to.endsWith('0000') ? statusCode('ESME_RINVBNDSTS') : 0)
    const { send } = opened(server.url)
    for (let n = 0; n < 5; n++) {
      await send()
      await expect(send({ to: '+491701230000' })).rejects.toMatchObject({ failure: 'temporary' })
    }
    expect(server.heard.filter((command) => command === 'bind_transceiver')).toHaveLength(1)
  })

  test('a session that the SMSC says is not bound is opened again', async () => {
    const server = await smsc()
    server.rules.submit = () => (server.submitted.length === 1 ? statusCode('ESME_RINVBNDSTS') : 0)
    const { send } = opened(server.url)
    await expect(send()).rejects.toMatchObject({ failure: 'outage' })
    await send()
    expect(server.heard.filter((command) => command === 'bind_transceiver')).toHaveLength(2)
  })
})

describe('the window', () => {
  test.each([
    ['passcode', 4],
    ['transactional', 3],
    ['marketing', 2],
  ] as const)('bounds the submits that wait for their answers: of its four slots a %s may have %i', async (priority, slots) => {
    const server = await smsc()
    let open = 0
    let most = 0
    server.rules.submit = async () => {
      most = Math.max(most, ++open)
      await sleep(5)
      open--
      return 0
    }
    const { send } = opened(`${server.url}?window=4`)
    await Promise.all(Array.from({ length: 40 }, (_, n) => send({ workspaceId: asWorkspaceId(`workspace ${n % 2}`) }, { priority })))
    expect(server.submitted).toHaveLength(40)
    expect(most).toBe(slots)
  })
})
