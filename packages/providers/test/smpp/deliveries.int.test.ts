import { setTimeout as sleep } from 'node:timers/promises'
import { asMessageId } from '@tidings/domain'
import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import { statusCode } from '../../src/smpp/pdu.ts'
import { inboundOf, LONG, opened, receiptOf, smsc } from './open-provider.ts'

describe('a receipt', () => {
  test('that comes before the answer finds its message', async () => {
    const server = await smsc()
    const { send, receipts } = opened(server.url)
    let answered: Promise<number> = Promise.resolve(-1)
    server.rules.submit = async ({ id }) => {
      answered = server.deliver(receiptOf(id, 'DELIVRD'))
      await sleep(20)
      return 0
    }
    await send()
    expect(await answered).toBe(0)
    expect(receipts).toMatchObject([{ partId: 'smsc-0', status: 'delivered', reason: null, numbers: ['491701234567', 'Acme'] }])
  })

  test('of TLVs alone is read, also of an unknown subscriber', async () => {
    const server = await smsc()
    const { send, receipts } = opened(server.url)
    await send()
    const tlvs = { receipted_message_id: 'smsc-0', message_state: 5, network_error_code: Buffer.from([3, 0, 1]) }
    expect(await server.deliver(receiptOf('', '', { short_message: '', ...tlvs }))).toBe(0)
    expect(receipts).toMatchObject([{ partId: 'smsc-0', status: 'failed', reason: 'invalid_address', detail: 'message_state 5' }])
  })

  test('of an unknown message waits for the submits that have left, and not for those that wait to', async () => {
    const server = await smsc()
    const gates = [1, 2, 3].map(() => Promise.withResolvers<number>())
    server.rules.submit = () => gates[server.submitted.length - 1]!.promise
    const { send, warnings } = opened(`${server.url}?window=1`)
    const sends = gates.map(() => send())
    await until(() => expect(server.submitted).toHaveLength(1))
    const answered = server.deliver(receiptOf('of-another-process', 'DELIVRD'))
    gates[0]?.resolve(0)
    expect(await answered).toBe(statusCode('ESME_RX_T_APPN'))
    expect(warnings).toEqual([])
    for (const { resolve } of gates) resolve(0)
    await Promise.all(sends)
  })

  test.each(['ESME_RTHROTTLED', 'ESME_RMSGQFUL'] as const)(
    'of unknown messages is answered while %s delays others, and a STOP behind them is taken',
    async (word) => {
      const server = await smsc()
      let isOver = false
      server.rules.submit = () => (isOver ? 0 : statusCode(word))
      const { send, inbound } = opened(server.url, { callMs: 60_000 })
      const held = ['+491701234567', '+491701234568'].map((to, n) =>
        send({ to, messageId: asMessageId(`0192b1f0-0000-7000-8000-00000000000${n}`) }),
      )
      await until(() => expect(server.submitted.length).toBeGreaterThan(1))
      const receipts = Array.from({ length: 100 }, (_, n) => server.deliver(receiptOf(`of-another-process-${n}`, 'DELIVRD')))
      expect(new Set(await Promise.all(receipts))).toEqual(new Set([statusCode('ESME_RX_T_APPN')]))
      expect(await server.deliver(inboundOf('STOP', { data_coding: 0 }))).toBe(0)
      expect(inbound.map(({ body }) => body)).toEqual(['STOP'])
      isOver = true
      await Promise.all(held)
    },
  )

  test('of an unknown message waits no longer than an answer may take', async () => {
    const server = await smsc()
    const { promise, resolve } = Promise.withResolvers<number>()
    server.rules.submit = ({ text }) => (text.length > 0 && server.submitted.length > 1 ? promise : 0)
    const { send } = opened(server.url, { callMs: 6_000 })
    const long = send({ body: LONG }).catch((error: unknown) => error)
    await until(() => expect(server.submitted.length).toBeGreaterThan(1))
    expect(await server.deliver(receiptOf('of-another-process', 'DELIVRD'))).toBe(statusCode('ESME_RX_T_APPN'))
    resolve(0)
    await long
  })

  test('of a message that is not known is asked for once more, and then dropped with a warning', async () => {
    const server = await smsc()
    const { receipts, send, warnings } = opened(server.url)
    await send()
    expect(await server.deliver(receiptOf('forged', 'DELIVRD'))).toBe(statusCode('ESME_RX_T_APPN'))
    expect(await server.deliver(receiptOf('forged', 'DELIVRD'))).toBe(0)
    expect([receipts, warnings]).toEqual([[], ['A receipt was dropped: no message has its id.']])
  })

  test('is asked for once more even behind another of the same message', async () => {
    const server = await smsc()
    const { send } = opened(server.url)
    await send()
    const later = statusCode('ESME_RX_T_APPN')
    expect(await server.deliver(receiptOf('of-another-process', 'ENROUTE'))).toBe(later)
    expect(await server.deliver(receiptOf('of-another-process', 'DELIVRD'))).toBe(later)
  })

  test('of an id that was unknown, became known and is another message’s now is asked for again', async () => {
    const server = await smsc()
    let isKnown = false
    const { send } = opened(server.url, { onReceipt: async () => (isKnown ? 'taken' : 'unknown') })
    await send()
    const said: number[] = []
    for (const known of [false, true, false, false]) {
      isKnown = known
      said.push(await server.deliver(receiptOf('again', 'DELIVRD')))
    }
    const later = statusCode('ESME_RX_T_APPN')
    expect(said).toEqual([later, 0, later, 0])
  })

  test('that could not be recorded is asked for again', async () => {
    const server = await smsc()
    let failures = 1
    const recorded: string[] = []
    const { send } = opened(server.url, {
      onReceipt: async ({ status }) => {
        if (failures-- > 0) throw new Error('the log is away')
        recorded.push(status)
        return 'taken'
      },
    })
    await send()
    expect(await server.deliver(receiptOf('smsc-0', 'DELIVRD'))).toBe(statusCode('ESME_RX_T_APPN'))
    expect(await server.deliver(receiptOf('smsc-0', 'DELIVRD'))).toBe(0)
    expect(recorded).toEqual(['delivered'])
  })

  test('without an id or a state is dropped with a warning', async () => {
    const server = await smsc()
    const { send, receipts, warnings } = opened(server.url)
    await send()
    expect(await server.deliver(receiptOf('smsc-0', 'WHAT'))).toBe(0)
    expect(receipts).toEqual([])
    expect(warnings).toHaveLength(1)
  })

  test('that a person writes is a text message', async () => {
    const server = await smsc()
    const { send, receipts, inbound } = opened(server.url)
    await send()
    await server.deliver(receiptOf('smsc-0', 'DELIVRD', { esm_class: 0 }))
    expect(receipts).toEqual([])
    expect(inbound).toMatchObject([{ from: '+491701234567', body: expect.stringContaining('stat:DELIVRD') }])
  })
})

describe('an inbound message', () => {
  test.each([
    ['0501234567', 2],
    ['050-123-4567', 0],
    ['501234567', 2],
    ['501234567', 0],
    ['972501234567', 0],
    ['972501234567', 1],
  ])('from %s (type of number %i) is from the number of the country of the SMSC', async (source_addr, source_addr_ton) => {
    const server = await smsc()
    const { send, inbound } = opened(`${server.url}?country=IL`)
    await send()
    const to = { dest_addr_ton: 0, destination_addr: '0501110000' }
    expect(await server.deliver(inboundOf('STOP', { data_coding: 0, source_addr, source_addr_ton, ...to }))).toBe(0)
    expect(inbound).toMatchObject([{ from: '+972501234567', to: '+972501110000', body: 'STOP' }])
  })

  test('is passed on in its alphabet, and answered when it is recorded', async () => {
    const server = await smsc()
    const { send, inbound } = opened(server.url)
    await send()
    expect(await server.deliver(inboundOf('STOP [now] €', { data_coding: 0 }))).toBe(0)
    expect(await server.deliver(inboundOf('שלום 😀', { data_coding: 8 }))).toBe(0)
    expect(await server.deliver(inboundOf(Buffer.from([0xf9, 0xec]), { data_coding: 7 }))).toBe(0)
    expect(inbound.map(({ from, to, body }) => [from, to, body])).toEqual([
      ['+491701234567', '+4915200', 'STOP [now] €'],
      ['+491701234567', '+4915200', 'שלום 😀'],
      ['+491701234567', '+4915200', 'של'],
    ])
  })

  test('in parts is passed on once, whole, in their order, and again where that failed', async () => {
    const server = await smsc()
    let failures = 1
    const inbound: string[] = []
    const { send } = opened(server.url, {
      onInbound: async ({ body }) => {
        if (failures-- > 0) throw new Error('the log is away')
        inbound.push(body)
      },
    })
    await send()
    const units = Buffer.from('Grüße 😀!', 'utf16le').swap16()
    // Cut in the middle of the surrogate pair.
    const part = (number: number, bytes: Buffer) =>
      inboundOf(Buffer.concat([Buffer.from([6, 8, 4, 1, 7, 2, number]), bytes]), { esm_class: 0x40, data_coding: 8 })
    expect(await server.deliver(part(2, units.subarray(14)))).toBe(0)
    expect(await server.deliver(part(1, units.subarray(0, 14)))).toBe(statusCode('ESME_RX_T_APPN'))
    expect(await server.deliver(part(1, units.subarray(0, 14)))).toBe(0)
    const sar = { sar_msg_ref_num: 9, sar_total_segments: 2 }
    await server.deliver(inboundOf('one ', { ...sar, sar_segment_seqnum: 1 }))
    await server.deliver(inboundOf('two', { ...sar, sar_segment_seqnum: 2 }))
    expect(inbound).toEqual(['Grüße 😀!', 'one two'])
  })
})
